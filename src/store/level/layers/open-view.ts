import type { StoredTable, StoreView } from '../../stored-parts.js';
import { compareOrdinal } from '../../stored-parts.js';
import type { TableRecord } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { readByKey, readTable } from '../read/read-in-parts.js';
import type { LayerList } from './rows-users.js';

/** A table to view, its name in the form for comparisons, and its layers. */
export interface ViewedTable {
  readonly account: string;
  readonly nameKey: string;
  readonly table: Omit<TableRecord, 'id'>;
  readonly layers: LayerList;
}

/** Opens a view of tables. It holds their layers in memory and writes nothing. Errors: the engine's. */
export async function openView(parts: LevelParts, viewed: readonly ViewedTable[]): Promise<StoreView> {
  const { engine, gate, queue, reopener, users } = parts;
  const source = { engine, gate, tail: queue.tail, readable: () => reopener.readable };
  const held = viewed
    .toSorted((a, b) => compareOrdinal(a.account, b.account) || compareOrdinal(a.nameKey, b.nameKey))
    .map(({ account, table: { name, created, policies = [], order }, layers }) => ({
      table: { account, name, created, policies, ...(order && { order }) },
      hold: users.hold(layers),
    }));
  const close = async () => {
    for (const { hold } of held) users.release(hold);
  };
  try {
    // The view includes earlier decisions.
    await queue.settled();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    tables: held.map(({ table }) => table),
    async *read() {
      for (const { table, hold } of held) yield* readTable(source, table, hold.layers);
    },
    entitiesByKey: (table: StoredTable) =>
      readByKey(source, table, held.find((one) => one.table === table)?.hold.layers ?? []),
    close,
  };
}
