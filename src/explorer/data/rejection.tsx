import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { canReadAs, identities, readAsFromNotice } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { onFields } from '../parts/form.js';
import { Empty } from '../parts/list.js';
import { Reason } from '../parts/reason.js';
import { Unreachable } from '../wire/connection.js';
import { askJournal, server } from '../wire/control-client.js';
import { ServiceError } from '../wire/table-client.js';
import { progress } from './rows.js';
import { openTable } from './tables.js';

/** Why the service rejected the query, in place of its results. */
export function RejectedQuery({ error }: { readonly error: Error }) {
  if (error instanceof ServiceError && error.code === 'KeyBasedAuthenticationNotPermitted') return <KeysRejected />;
  if (error instanceof Unreachable) {
    return (
      <Empty title="The query was not answered">
        <p>The server does not respond. Run the query again when it is back.</p>
      </Empty>
    );
  }
  return (
    <Empty title="The service rejected this query">
      <div class="rejection">
        <Reason requestId={requestIdOf(error)} text={error.message} />
      </div>
    </Empty>
  );
}

/** Why the query can find nothing, if the server knows the types of the stored values. */
export function TypeHint() {
  const mismatch = useSignal<string | undefined>(undefined);
  const requestId = progress.value.requestIds.at(-1);
  useEffect(() => {
    let isShown = true;
    if (requestId !== undefined) {
      askJournal(() => server.why(requestId)).then((answer) => {
        if (isShown) mismatch.value = answer?.mismatch;
      }, showError);
    }
    return () => {
      isShown = false;
    };
  }, [requestId]);
  return mismatch.value === undefined ? null : <p role="status">{mismatch.value}</p>;
}

/** Shown to an identity that may not list tables. It may have a role on one of them. */
export function RejectedList({ error }: { readonly error: Error }) {
  return (
    <Empty title="The tables cannot be listed">
      <div class="rejection">
        <Reason requestId={requestIdOf(error)} text={error.message} />
      </div>
      <form class="line" onSubmit={onFields((textOf) => openTable(textOf('table')))}>
        <input name="table" aria-label="Name of a table" placeholder="Name of a table" required autocomplete="off" />
        <button type="submit">Open the table</button>
      </form>
    </Empty>
  );
}

/** Shown while the server rejects the signature of the page, until an identity is chosen. */
export function KeysRejected() {
  return (
    <Empty title="This server rejects keys">
      {canReadAs.value ? (
        <>
          <p>Choose an identity to read tables and entities with its permissions.</p>
          <div class="actions line">
            {(identities.value ?? []).map(({ name }) => (
              <button type="button" key={name} onClick={() => readAsFromNotice(name)}>
                Read as {name}
              </button>
            ))}
          </div>
        </>
      ) : (
        <p>The page signs with a key, and a read-only token cannot issue identity tokens.</p>
      )}
    </Empty>
  );
}

function requestIdOf(error: Error): string | undefined {
  return error instanceof ServiceError ? error.requestId : undefined;
}
