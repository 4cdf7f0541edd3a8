import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import { keyOf } from '../entity/stored/write-row.js';
import { startRangesAt } from '../query/plan/key-ranges.js';
import type { QueryPlan } from '../query/plan/plan.js';
import type { FrozenTables } from '../store/snapshots.js';
import { isRefusal } from '../store/store.js';

/** Number of entities that are read at a time. */
const pageRows = 1000;

/** The frozen tables of an account that are read. */
export type ReadTables = Pick<FrozenTables, 'list' | 'open'>;

/** Yields the entities of a table in key order, or those that a plan finds; none if there is no table. */
export async function* rowsOf(
  tables: ReadTables,
  table: string,
  plan: Pick<QueryPlan, 'ranges' | 'filter'> = { ranges: [{}] },
): AsyncGenerator<EntityText> {
  const handle = tables.open(table);
  for (let { ranges } = plan; ; ) {
    const page = await handle.readPage({ ...plan, ranges, rowsMax: pageRows, order: 'key' });
    if (isRefusal(page)) return;
    yield* page.rows;
    if (!page.next) return;
    ranges = startRangesAt(ranges, page.next);
    // Requests come first: an engine in memory answers at once.
    await nextTurn();
  }
}

/** Entities in key order. */
export type Rows = AsyncIterable<EntityText> | Iterable<EntityText>;

/** What two lists have under one key. One of them may have nothing. */
export interface RowPair {
  readonly key: EntityKey;
  readonly before: EntityText | undefined;
  readonly after: EntityText | undefined;
}

/** Yields what two lists of entities have under each key, in key order. */
export async function* pairRows(old: Rows, now: Rows): AsyncGenerator<RowPair> {
  const [left, right] = [new Side(old), new Side(now)];
  await Promise.all([left.next(), right.next()]);
  while (left.text !== undefined || right.text !== undefined) {
    const order = compareKeys(left.key, right.key);
    const key = (order <= 0 ? left.key : right.key) ?? { partitionKey: '', rowKey: '' };
    yield { key, before: order <= 0 ? left.text : undefined, after: order >= 0 ? right.text : undefined };
    if (order <= 0) await left.next();
    if (order >= 0) await right.next();
  }
}

/** One of two lists that are compared. */
class Side {
  readonly #rows: AsyncIterator<EntityText> | Iterator<EntityText>;
  /** The current entity; undefined at the end. */
  text: EntityText | undefined;
  key: EntityKey | undefined;

  constructor(rows: Rows) {
    this.#rows = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  }

  /** Goes to the next entity. */
  async next(): Promise<void> {
    const { done, value } = await this.#rows.next();
    this.text = done ? undefined : value;
    this.key =
      this.text === undefined
        ? undefined
        : { partitionKey: keyOf(this.text, 'PartitionKey'), rowKey: keyOf(this.text, 'RowKey') };
  }
}

/** Compares keys as the service does, by UTF-16 code unit. The end of a list is after every key. */
function compareKeys(a: EntityKey | undefined, b: EntityKey | undefined): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  return a.rowKey === b.rowKey ? 0 : a.rowKey < b.rowKey ? -1 : 1;
}
