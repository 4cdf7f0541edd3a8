import { setImmediate as nextTurn } from 'node:timers/promises';
import { etagOf } from '../entity/stored/entity.js';
import { keyOf } from '../entity/stored/write-row.js';
import { startRangesAt } from '../query/plan/key-ranges.js';
import type { QueryPlan } from '../query/plan/plan.js';
import { isRejection, type TableStore } from '../store/store.js';

/** Number of entities that one commit should delete. (Our choice: few enough that other writes wait little.) */
export const deletedAtOnce = 500;

/** Number of entities that are read at a time to count them. */
const countedRows = 1000;

/**
 * Deletes the entities of a table that a plan finds, a page in each commit. Entities that others delete meanwhile do not
 * count; entities that others write after their place was read stay. So do those that others change after they were read,
 * since the plan may not find them any more, unless `spared` is `none`. Returns the number of deleted entities, or
 * undefined if there is no table.
 */
export async function deleteEntities(
  store: Pick<TableStore, 'openTable'>,
  { account, table }: { readonly account: string; readonly table: string },
  plan: QueryPlan,
  spared: 'changed' | 'none' = 'changed',
): Promise<number | undefined> {
  const handle = store.openTable(account, table);
  let deleted = 0;
  let ranges = plan.ranges;
  for (;;) {
    const page = await handle.readPage({ ...plan, ranges, order: 'key' });
    if (isRejection(page)) return undefined;
    let changes = page.rows.map((text) => ({
      kind: 'delete' as const,
      key: { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') },
      ifMatch: spared === 'changed' ? etagOf(text) : '*',
    }));
    while (changes.length > 0) {
      const outcome = await handle.commit(changes);
      if (!isRejection(outcome)) {
        deleted += changes.length;
        break;
      }
      if (outcome.reason === 'table-missing') return undefined;
      // Another client has deleted or changed this one.
      changes = changes.filter((_, at) => at !== outcome.at);
    }
    if (!page.next) return deleted;
    ranges = startRangesAt(ranges, page.next);
    // Requests come first. In memory, nothing else waits for another turn of the event loop.
    await nextTurn();
  }
}

/** Counts the entities of a table by reading all of them. Returns undefined if there is no table. */
export async function countEntities(store: TableStore, account: string, table: string): Promise<number | undefined> {
  const handle = store.openTable(account, table);
  let count = 0;
  for (let ranges: QueryPlan['ranges'] = [{}]; ; ) {
    const page = await handle.readPage({ ranges, rowsMax: countedRows, order: 'key' });
    if (isRejection(page)) return undefined;
    count += page.rows.length;
    if (!page.next) return count;
    ranges = startRangesAt(ranges, page.next);
    // Requests come first: an engine in memory answers at once.
    await nextTurn();
  }
}
