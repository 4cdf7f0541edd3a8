import { randomBytes } from 'node:crypto';
import type { EntityText } from '../entity/entity.js';
import { readProperties } from '../entity/read-property.js';
import { keyOf } from '../entity/write-row.js';
import { lowerAscii } from '../protocol/names.js';
import { startRangesAt } from '../query/key-ranges.js';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import { isRefusal, type TableStore } from '../store/store.js';
import type { Difference } from './contract.js';
import { StateFault } from './state-fault.js';

/** Number of entities that are read at a time. */
const pageRows = 1000;

/** A state to compare: an account, as it is or as a snapshot has it. */
export type ComparedState = BranchRecord['from'];

/** What a diff needs besides the states. */
export interface DiffOptions {
  /** Decides by the lower-cased name whether to compare a table. Absent: all tables. */
  readonly concerns?: ((table: string) => boolean) | undefined;
  /** Gets the errors of copies that could not be removed. A restart removes them. */
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
 * Errors: StateFault if a snapshot is missing.
 */
export async function* diffStates(
  store: TableStore,
  snapshots: SnapshotStore,
  [from, to]: readonly [ComparedState, ComparedState],
  { concerns = () => true, report }: DiffOptions,
): AsyncGenerator<SizedDifference> {
  // Copies that no client can reach, since no account has such a name. Those that a crash leaves have ended long ago.
  const copies: string[] = [];
  try {
    for (const side of [from, to]) {
      const account = `~${randomBytes(8).toString('hex')}`;
      const tables = await snapshots.branch({ account, from: side, key: '', expires: 0 });
      if (tables === undefined) throw new StateFault('missing', `There is no snapshot ${side.snapshot}.`);
      copies.push(account);
    }
    const [before = '', after = ''] = copies;
    const [old, now] = [await tablesOf(store, before, concerns), await tablesOf(store, after, concerns)];
    for (const key of [...new Set([...old.keys(), ...now.keys()])].sort()) {
      const table = now.get(key) ?? old.get(key) ?? '';
      if (!old.has(key)) yield sized({ kind: 'table-added', table });
      if (!now.has(key)) yield sized({ kind: 'table-removed', table });
      const sides = [old.has(key) ? rowsOf(store, before, table) : [], now.has(key) ? rowsOf(store, after, table) : []];
      yield* diffRows(table, sides[0] ?? [], sides[1] ?? []);
    }
  } finally {
    // One that fails must not keep the others, nor hide why the diff ended.
    const ended = await Promise.allSettled(copies.map((account) => snapshots.endBranch(account)));
    for (const one of ended) if (one.status === 'rejected') report(one.reason);
  }
}

async function tablesOf(store: TableStore, account: string, concerns: (table: string) => boolean) {
  const tables = await store.listTables(account);
  const named = tables.map(({ name }) => [lowerAscii(name), name] as const);
  return new Map(named.filter(([key]) => concerns(key)));
}

/** Yields the entities of a table in key order. */
async function* rowsOf(store: TableStore, account: string, table: string): AsyncGenerator<EntityText> {
  const handle = store.openTable(account, table);
  for (let ranges = [{}] as Parameters<typeof startRangesAt>[0]; ; ) {
    const page = await handle.readPage({ ranges, rowsMax: pageRows, order: 'key' });
    if (isRefusal(page)) return;
    yield* page.rows;
    if (!page.next) return;
    ranges = startRangesAt(ranges, page.next);
  }
}

type Rows = AsyncIterable<EntityText> | Iterable<EntityText>;

/** Yields what differs between two lists of entities, both in key order. */
async function* diffRows(table: string, old: Rows, now: Rows): AsyncGenerator<SizedDifference> {
  const [left, right] = [new Side(old), new Side(now)];
  await Promise.all([left.next(), right.next()]);
  while (left.text !== undefined || right.text !== undefined) {
    const order = compareKeys(left.key, right.key);
    const key = (order <= 0 ? left.key : right.key) ?? { partitionKey: '', rowKey: '' };
    if (order < 0) yield sized({ kind: 'removed', table, ...key }, left.text);
    else if (order > 0) yield sized({ kind: 'added', table, ...key }, undefined, right.text);
    else if (contentOf(left.text) !== contentOf(right.text)) {
      yield sized({ kind: 'changed', table, ...key }, left.text, right.text);
    }
    if (order <= 0) await left.next();
    if (order >= 0) await right.next();
  }
}

/** One of two lists that are compared. */
class Side {
  readonly #rows: AsyncIterator<EntityText> | Iterator<EntityText>;
  /** The current entity; undefined at the end. */
  text: EntityText | undefined;
  key: { readonly partitionKey: string; readonly rowKey: string } | undefined;

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
function compareKeys(a: Side['key'], b: Side['key']): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  return a.rowKey === b.rowKey ? 0 : a.rowKey < b.rowKey ? -1 : 1;
}

/** Returns the properties of an entity with their types, in an order that does not depend on how it was written. */
function contentOf(text: EntityText | undefined): string {
  const properties = text === undefined ? [] : readProperties(text);
  return JSON.stringify(
    properties.map(({ name, type, json }) => [name, type, json]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

/** Adds the entities of both sides, as an answer at minimal metadata has them. */
function sized(found: Difference, before?: EntityText, after?: EntityText): SizedDifference {
  const entities = {
    ...(before !== undefined && { before: JSON.parse(before) as unknown }),
    ...(after !== undefined && { after: JSON.parse(after) as unknown }),
  };
  return { difference: { ...found, ...entities }, characters: (before?.length ?? 0) + (after?.length ?? 0) };
}
