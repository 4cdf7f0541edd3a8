import { keyOf } from '../entity/write-row.js';
import { startRangesAt } from '../query/key-ranges.js';
import type { QueryPlan } from '../query/plan.js';
import { isRefusal, type TableStore } from '../store/store.js';

/** Number of entities that one commit deletes. Ours: few enough that other writes wait little. */
const portion = 500;

/**
 * Deletes the entities of a table that a plan finds. Entities that others delete meanwhile do not count; entities that
 * others write after their place was read stay. Returns the number of deleted entities, or undefined if there is no table.
 */
export async function deleteEntities(
  store: TableStore,
  { account, table }: { readonly account: string; readonly table: string },
  plan: Pick<QueryPlan, 'ranges' | 'filter'>,
): Promise<number | undefined> {
  const handle = store.openTable(account, table);
  let deleted = 0;
  let ranges = plan.ranges;
  for (;;) {
    const page = await handle.readPage({ ...plan, ranges, rowsMax: portion });
    if (isRefusal(page)) return undefined;
    let changes = page.rows.map((text) => ({
      kind: 'delete' as const,
      key: { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') },
      ifMatch: '*',
    }));
    while (changes.length > 0) {
      const outcome = await handle.commit(changes);
      if (!isRefusal(outcome)) {
        deleted += changes.length;
        break;
      }
      if (outcome.reason === 'table-missing') return undefined;
      // Another client has deleted this one.
      changes = changes.filter((_, at) => at !== outcome.at);
    }
    if (!page.next) return deleted;
    ranges = startRangesAt(ranges, page.next);
  }
}
