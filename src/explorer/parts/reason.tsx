import type { ExplainedRequest } from '../../insight/explained-request.js';
import { askJournal, server } from '../wire/control-client.js';
import { useAnswer } from './answer.js';
import { Facts } from './list.js';

/** Returns the explanation of a request; undefined until the journal has answered, and if it does not know the request. */
export function useWhy(requestId: string | undefined): ExplainedRequest | undefined {
  return useAnswer(requestId, (id) => askJournal(() => server.why(id)));
}

/** Why the server rejected a request: the cause, the fix, and the compared values. Shows `text` without an explanation. */
export function Reason({ requestId, text: known }: { readonly requestId: string | undefined; readonly text: string }) {
  const reason = useWhy(requestId);
  if (!reason) return <p>{known}</p>;
  const { text, advice, near, otherAccount, details = [] } = reason;
  return (
    <section class="reason bad" aria-label="Why it was rejected">
      <h3>{text}</h3>
      {advice !== undefined && <p>{advice}</p>}
      {near !== undefined && <p>There is a table {near}.</p>}
      {otherAccount !== undefined && <p>The account {otherAccount} has a table of this name.</p>}
      {details.length > 0 && (
        <Facts
          facts={details.map(({ name, value, holds }) => [
            name,
            <span key={name}>
              <code>{value}</code>{' '}
              {holds !== undefined && (
                <span class={`mark ${holds ? 'good' : 'bad'}`}>{holds ? '✓ right' : '✕ wrong'}</span>
              )}
            </span>,
          ])}
        />
      )}
    </section>
  );
}
