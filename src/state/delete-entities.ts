import { setImmediate as nextTurn } from 'node:timers/promises';
import { etagOf } from '../entity/stored/entity.js';
import { keyOf } from '../entity/stored/write-row.js';
import { startRangesAt } from '../query/plan/key-ranges.js';
import type { QueryPlan } from '../query/plan/plan.js';
import { isRejection, type TableStore } from '../store/store.js';

/** Entities deleted by one commit. (Our choice: small enough to delay other writes only briefly.) */
export const deletedAtOnce = 500;

/** Entities per page when counting. */
const countedRows = 1000;

/**
 * Deletes the entities of a table that match a plan, one page per commit. Does not count entities deleted by others meanwhile,
 * and keeps new ones before the scan position. Keeps entities changed since they were read, which may no longer match, unless
 * `spared` is `none`. Returns the number of deleted entities, or undefined if there is no table.
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
      // Another client has deleted or changed this entity.
      changes = changes.filter((_, at) => at !== outcome.at);
    }
    if (!page.next) return deleted;
    ranges = startRangesAt(ranges, page.next);
    // Let requests in: nothing else here yields to the event loop in memory.
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
    // Let requests in, as above.
    await nextTurn();
  }
}
