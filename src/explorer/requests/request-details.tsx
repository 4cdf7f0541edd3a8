import type { LogEntry } from '../../insight/journal/log-entry.js';
import { server } from '../client/control-client.js';
import { copyText } from '../parts/copy-text.js';
import { Icon } from '../parts/icon.js';
import { Reason } from '../parts/reason.js';
import { showError } from '../shell/notices.js';
import { hrefOf } from '../shell/route.js';
import { filterOf, tableOf } from './rows.js';

/** Everything that the journal knows of a request, and why it was refused. */
export function RequestDetails({ entry }: { readonly entry: LogEntry }) {
  const table = tableOf(entry);
  const filter = filterOf(entry);
  return (
    <div class="request-details">
      {entry.StatusCode >= '400' && entry.Why !== undefined && (
        <Reason requestId={entry.CorrelationId} text={entry.Why} />
      )}
      <dl>
        <Fact name="Address" value={`${entry.Method} ${entry.Uri}`} />
        <Fact name="Filter" value={filter} />
        <Fact name="Status" value={`${entry.StatusCode} ${entry.StatusText}`} />
        <Fact name="Request id" value={entry.CorrelationId} />
        <Fact name="Client request id" value={entry.ClientRequestId} />
        <Fact name="Client" value={[entry.UserAgentHeader, entry.CallerIpAddress].filter(Boolean).join(' · ')} />
        <Fact name="Signed with" value={entry.AuthenticationType} />
        <Fact name="Service version" value={entry.OperationVersion} />
        <Fact name="Mark" value={entry.Mark} />
        <Fact name="Sent, answered" value={`${entry.RequestBodySize} and ${entry.ResponseBodySize} bytes`} />
      </dl>
      <div class="actions">
        {entry.OperationName === 'QueryEntities' && table !== undefined && (
          <a
            href={hrefOf({
              account: entry.AccountName,
              tab: 'data',
              item: table,
              params: new Map(filter === undefined ? [] : [['filter', filter]]),
            })}
          >
            Open this query
          </a>
        )}
        <button type="button" onClick={() => void copyCurl(entry)}>
          <Icon name="copy" />
          Copy as curl (sh)
        </button>
      </div>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

async function copyCurl({ CorrelationId }: LogEntry): Promise<void> {
  try {
    await copyText((await server.requests.show(CorrelationId)).curl);
  } catch (error) {
    showError(error);
  }
}
