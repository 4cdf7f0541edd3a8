import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { closeOver, hrefOf, route } from '../model/route.js';
import { useAnswer } from '../parts/answer.js';
import { Facts } from '../parts/list.js';
import { Panel } from '../parts/panel.js';
import { Reason } from '../parts/reason.js';
import { askJournal, server } from '../wire/control-client.js';
import { Actions } from './actions.js';
import { Content } from './content.js';
import { entries } from './feed.js';
import { filterOf } from './rows.js';

function closeRequest(): void {
  closeOver('item');
  document.querySelector<HTMLElement>('.requests [role=grid]')?.focus();
}

/** The request of the address, beside the list. */
export function RequestPanel() {
  const id = route.value.item;
  return id === undefined ? null : <OpenRequest key={id} id={id} />;
}

function OpenRequest({ id }: { readonly id: string }) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => element.current?.focus(), []);
  const answer = useAnswer(id, async (one) => ({ shown: await askJournal(() => server.requests.show(one)) }));
  const shown = answer?.shown;
  const entry = shown?.request ?? entries.value.find(({ CorrelationId }) => CorrelationId === id);
  return (
    <Panel
      element={element}
      label="Request"
      title={entry ? `${entry.StatusCode} ${entry.OperationName ?? entry.Method}` : 'Request'}
      onClose={closeRequest}
    >
      {answer && !shown && (
        <p role="status">
          The journal does not have the request <code>{id}</code>. It keeps the last ones since the server started.
        </p>
      )}
      {entry && entry.StatusCode >= '400' && (
        <Reason requestId={entry.CorrelationId} text={entry.Why ?? entry.StatusText} />
      )}
      {shown && <Actions shown={shown} />}
      {shown?.requestHeaders && (
        <>
          <Content title="Sent" headers={shown.requestHeaders} body={shown.requestBody} />
          <Content title="Answered" headers={shown.responseHeaders} body={shown.responseBody} />
        </>
      )}
      {entry && <Tries entry={entry} />}
      {entry && (
        <Facts
          facts={[['Filter', filterOf(entry)] as const, ...Object.entries(entry)].map(([name, value]) => [
            name,
            value === undefined ? undefined : <code key={name}>{String(value)}</code>,
          ])}
        />
      )}
    </Panel>
  );
}

/** A list of the requests with the same id of the client, which are its tries. */
function Tries({ entry: { ClientRequestId: id } }: { readonly entry: LogEntry }) {
  const tries = entries.value.filter(({ ClientRequestId }) => ClientRequestId === id).length;
  if (id === undefined || tries < 2) return null;
  return (
    <a href={hrefOf({ item: route.value.item, params: new Map([['text', id]]) })}>
      List the {tries} tries of the client
    </a>
  );
}
