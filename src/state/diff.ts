import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import { readProperties, withoutKeyPlaces } from '../entity/stored/read-property.js';
import { keyOf } from '../entity/stored/write-row.js';
import { startRangesAt } from '../query/plan/key-ranges.js';
import type { QueryPlan } from '../query/plan/plan.js';
import type { AccountState, FrozenTables, SnapshotStore } from '../store/snapshots.js';
import { isRefusal, type TableStore } from '../store/store.js';
import type { TableSelection } from '../store/stored-parts.js';
import type { Difference, DiffReport } from './contract.js';
import { noTable } from './reset.js';
import { StateFault } from './state-fault.js';

/** A state to compare: an account, as it is or as a snapshot has it. */
export type ComparedState = AccountState;

/** What a diff needs besides the states. */
export interface DiffOptions {
  /** Decides by account and name whether to compare a table. Absent: all tables. */
  readonly concerns?: TableSelection | undefined;
  /** The name of the table, if it compares only one. */
  readonly only?: string | undefined;
  /** Gets the errors of copies that could not be removed. They go within an hour, or at a restart. */
  readonly report: (error: unknown) => void;
}

/** A difference, and how much it has of stored text. Unit: characters. */
export interface SizedDifference {
  readonly difference: Difference;
  readonly characters: number;
}

/**
 * Yields what differs between two states, table by table and in key order. Entities differ if their properties do; when
 * they were written does not count. Each side is of one moment. Takes time linear in the entities.
 *
 * Errors: StateFault if a snapshot is missing, or if neither side has the only table.
 */
export async function* diffStates(
  store: TableStore,
  snapshots: SnapshotStore,
  [from, to]: readonly [ComparedState, ComparedState],
  { concerns = () => true, only, report }: DiffOptions,
): AsyncGenerator<SizedDifference> {
  const states = new FrozenStates(snapshots);
  try {
    const [before, after] = [await states.freeze(from), await states.freeze(to)];
    const tablesOf = async (state: FrozenTables, { account }: ComparedState) => {
      const tables = (await state.list()).filter(({ name }) => concerns(account, name));
      return new Map(tables.map(({ name }) => [store.nameKey(account, name), name]));
    };
    const [old, now] = [await tablesOf(before, from), await tablesOf(after, to)];
    // A misspelled name must not look like a table that is the same on both sides.
    if (only !== undefined && old.size + now.size === 0) throw noTable(only);
    for (const key of [...new Set([...old.keys(), ...now.keys()])].sort()) {
      const table = now.get(key) ?? old.get(key) ?? '';
      if (!old.has(key)) yield sized({ kind: 'table-added', table });
      if (!now.has(key)) yield sized({ kind: 'table-removed', table });
      yield* diffRows(table, rowsOf(before, table), rowsOf(after, table));
    }
  } finally {
    await states.release(report);
  }
}

/** Yields what differs between two lists of entities, both in key order. */
async function* diffRows(table: string, old: Rows, now: Rows): AsyncGenerator<SizedDifference> {
  for await (const { key, before, after } of pairRows(old, now)) {
    if (after === undefined) yield sized({ kind: 'removed', table, ...key }, before);
    else if (before === undefined) yield sized({ kind: 'added', table, ...key }, undefined, after);
    else if (contentOf(before) !== contentOf(after)) yield sized({ kind: 'changed', table, ...key }, before, after);
  }
}

/** Returns the properties of an entity with their types, in an order that does not depend on how it was written. */
function contentOf(text: EntityText): string {
  return JSON.stringify(
    readProperties(withoutKeyPlaces(text))
      .map(({ name, type, json }) => [name, type, json])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

/** Adds the entities of both sides, as an answer at minimal metadata has them. */
function sized(found: Difference, before?: EntityText, after?: EntityText): SizedDifference {
  const entities = {
    ...(before !== undefined && { before: JSON.parse(withoutKeyPlaces(before)) as unknown }),
    ...(after !== undefined && { after: JSON.parse(withoutKeyPlaces(after)) as unknown }),
  };
  return { difference: { ...found, ...entities }, characters: (before?.length ?? 0) + (after?.length ?? 0) };
}

/** States of accounts that are held while something reads them. */
class FrozenStates {
  readonly #snapshots: SnapshotStore;
  readonly #held: FrozenTables[] = [];

  constructor(snapshots: SnapshotStore) {
    this.#snapshots = snapshots;
  }

  /** Holds an account in a state. Returns undefined if it is missing. */
  async find(state: AccountState): Promise<FrozenTables | undefined> {
    const tables = await this.#snapshots.freeze(state);
    if (tables) this.#held.push(tables);
    return tables;
  }

  /** Holds an account in a state. Errors: StateFault if that is missing. */
  async freeze(state: AccountState): Promise<FrozenTables> {
    const tables = await this.find(state);
    if (tables) return tables;
    const { snapshot } = state;
    const what =
      snapshot === undefined ? 'What was there before is not kept any more.' : `There is no snapshot ${snapshot}.`;
    throw new StateFault('missing', what);
  }

  /** Releases all of them, even if one fails. `report` gets its error. */
  async release(report: (error: unknown) => void): Promise<void> {
    const released = await Promise.allSettled(this.#held.map((tables) => tables.release()));
    for (const one of released) if (one.status === 'rejected') report(one.reason);
  }
}

/** Number of differences in a list, usually and at most. Ours: a list is kept in memory. */
const [usual, most] = [1000, 10_000];

/** How much text of entities a list has at most, apart from its first difference. Unit: characters. Ours: as above. */
const charactersMax = 16 * 1024 * 1024;

/** Checks the length of a list. Errors: StateFault. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0 && limit <= most)) return;
  throw new StateFault('invalid', `A list has 1 to ${most} differences, not ${limit}.`);
}

/** Lists differences up to a limit, which `checkLimit` has checked. */
export async function listDifferences(
  found: AsyncIterable<SizedDifference>,
  limit: number = usual,
): Promise<DiffReport> {
  const differences: Difference[] = [];
  let total = 0;
  for await (const { difference, characters } of found) {
    total += characters;
    const isFull = differences.length > 0 && total > charactersMax;
    if (isFull || differences.length === limit) return { differences, more: true };
    differences.push(difference);
  }
  return { differences, more: false };
}

/** Number of entities that are read at a time. */
const pageRows = 1000;

/** The frozen tables of an account that are read. */
type ReadTables = Pick<FrozenTables, 'list' | 'open'>;

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
type Rows = AsyncIterable<EntityText> | Iterable<EntityText>;

/** What two lists have under one key. One of them may have nothing. */
interface RowPair {
  readonly key: EntityKey;
  readonly before: EntityText | undefined;
  readonly after: EntityText | undefined;
}

/** Yields what two lists of entities have under each key, in key order. */
async function* pairRows(old: Rows, now: Rows): AsyncGenerator<RowPair> {
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
