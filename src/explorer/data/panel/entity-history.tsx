import { type Entity, idOf } from '../../base/entity.js';
import type { DraftPlace } from '../../model/draft.js';
import { hrefOf } from '../../model/route.js';
import { useAnswer } from '../../parts/answer.js';
import { askJournal, server } from '../../wire/control-client.js';

/** The changes to an entity that the journal still has, the newest first. */
export function EntityHistory({
  place: { account, table },
  entity,
}: {
  readonly place: DraftPlace;
  readonly entity: Entity;
}) {
  // A server without a journal has none.
  const changes = useAnswer(`${idOf(entity)} ${entity.etag}`, async () => {
    const found = (await askJournal(() => server.changes.list({ account, table }), 1)) ?? [];
    return found.filter((one) => idOf(one) === idOf(entity)).reverse();
  });
  if (!changes) return null;
  if (changes.length === 0) return <p>This server's journal has no changes to this entity.</p>;
  return (
    <ul class="things">
      {changes.map((change) => (
        <li key={change.seq}>
          <span class="mark">{change.kind}</span>
          <time dateTime={change.at}>{new Date(change.at).toLocaleTimeString('en-GB')}</time>
          {change.etag === entity.etag && <span class="mark good">as it is now</span>}
          {change.mark !== undefined && <span class="faint">{change.mark}</span>}
          {change.requestId !== undefined && <a href={hrefOf({ tab: 'requests', item: change.requestId })}>Request</a>}
        </li>
      ))}
    </ul>
  );
}
