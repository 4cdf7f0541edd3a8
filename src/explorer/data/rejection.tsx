import type { ComponentChildren } from 'preact';
import { canReadAs, identities, readAsFromNotice } from '../model/identities.js';
import { onFields } from '../parts/form.js';
import { Empty } from '../parts/list.js';
import { Reason, useWhy } from '../parts/reason.js';
import { Unreachable } from '../wire/connection.js';
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
  return <Rejection title="The service rejected this query" error={error} />;
}

function Rejection(props: { readonly title: string; readonly error: Error; readonly children?: ComponentChildren }) {
  const { title, error, children } = props;
  return (
    <Empty title={title}>
      <Reason requestId={error instanceof ServiceError ? error.requestId : undefined} text={error.message} />
      {children}
    </Empty>
  );
}

/** Why the query can find nothing, if the server knows the types of the stored values. */
export function TypeHint() {
  const mismatch = useWhy(progress.value.requestIds.at(-1))?.mismatch;
  return mismatch === undefined ? null : <p role="status">{mismatch}</p>;
}

/** Shown to an identity that may not list tables. It may have a role on one of them. */
export function RejectedList({ error }: { readonly error: Error }) {
  return (
    <Rejection title="The tables cannot be listed" error={error}>
      <form class="line" onSubmit={onFields((textOf) => openTable(textOf('table')))}>
        <input name="table" aria-label="Name of a table" placeholder="Name of a table" required autocomplete="off" />
        <button type="submit">Open the table</button>
      </form>
    </Rejection>
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
