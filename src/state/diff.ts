import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import { readProperties, withoutKeyPlaces } from '../entity/stored/read-property.js';
import { keyOf } from '../entity/stored/write-row.js';
import type { AccountState, SnapshotStore } from '../store/snapshots.js';
import type { TableStore } from '../store/store.js';
import type { StoredTable, StoreView, TableSelection } from '../store/stored-parts.js';
import type { Difference, DiffReport } from './contract.js';
import { shownEntity } from './read-table.js';
import { noTable } from './reset.js';
import { StateFault } from './state-fault.js';

/** The options of a diff, without its states. */
export interface DiffOptions {
  /** Decides by account and name whether to compare a table. Absent: all tables. */
  readonly concerns?: TableSelection | undefined;
  /** The name of the table, if it compares only one. */
  readonly only?: string | undefined;
  /** Receives errors of closing views. */
  readonly report: (error: unknown) => void;
}

/** A difference, with the length of its stored entities. Unit: characters. */
interface SizedDifference {
  readonly difference: Difference;
  readonly characters: number;
}

/**
 * Yields the differences between two states, table by table and in key order, in linear time. Compares properties and ignores
 * the time of writing. Each side is a consistent snapshot.
 *
 * Errors: StateFault if a snapshot is missing, or if neither side has the only table.
 */
export async function* diffStates(
  store: TableStore,
  snapshots: SnapshotStore,
  [from, to]: readonly [AccountState, AccountState],
  { concerns = () => true, only, report }: DiffOptions,
): AsyncGenerator<SizedDifference> {
  const views: StoreView[] = [];
  const open = async (state: AccountState) => {
    const view = await snapshots.freeze(state);
    if (!view) throw new StateFault('missing', `There is no snapshot ${state.snapshot}.`);
    views.push(view);
    const tables = view.tables.filter(({ name }) => concerns(state.account, name));
    return { view, tables: new Map(tables.map((table) => [store.nameKey(state.account, table.name), table])) };
  };
  try {
    const [before, after] = [await open(from), await open(to)];
    // A misspelled name must not look like an unchanged table.
    if (only !== undefined && before.tables.size + after.tables.size === 0) throw noTable(only);
    for (const key of [...new Set([...before.tables.keys(), ...after.tables.keys()])].sort()) {
      const [old, now] = [before.tables.get(key), after.tables.get(key)];
      const table = (now ?? old)?.name ?? '';
      if (!old) yield sized({ kind: 'table-added', table });
      if (!now) yield sized({ kind: 'table-removed', table });
      yield* diffRows(table, new Side(rowsOf(before.view, old)), new Side(rowsOf(after.view, now)));
    }
  } finally {
    const closed = await Promise.allSettled(views.map((view) => view.close()));
    for (const one of closed) if (one.status === 'rejected') report(one.reason);
  }
}

async function* rowsOf(view: StoreView, table: StoredTable | undefined): AsyncGenerator<EntityText> {
  if (table) for await (const texts of view.entitiesByKey(table)) yield* texts;
}

/** Merges two lists in key order, and yields their differences. */
async function* diffRows(table: string, old: Side, now: Side): AsyncGenerator<SizedDifference> {
  await Promise.all([old.next(), now.next()]);
  while (old.row || now.row) {
    const order = compareKeys(old.row?.key, now.row?.key);
    const before = order <= 0 ? old.row : undefined;
    const after = order >= 0 ? now.row : undefined;
    const key = (before ?? after)?.key ?? { partitionKey: '', rowKey: '' };
    if (!after) yield sized({ kind: 'removed', table, ...key }, before?.text);
    else if (!before) yield sized({ kind: 'added', table, ...key }, undefined, after.text);
    else if (contentOf(before.text) !== contentOf(after.text)) {
      yield sized({ kind: 'changed', table, ...key }, before.text, after.text);
    }
    if (before) await old.next();
    if (after) await now.next();
  }
}

/** A cursor on one of the two lists. */
class Side {
  readonly #rows: AsyncIterator<EntityText>;
  /** The current entity; undefined at the end. */
  row: { readonly key: EntityKey; readonly text: EntityText } | undefined;

  constructor(rows: AsyncIterator<EntityText>) {
    this.#rows = rows;
  }

  async next(): Promise<void> {
    const { done, value: text } = await this.#rows.next();
    const key = () => ({ partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') });
    this.row = done ? undefined : { key: key(), text };
  }
}

/** Compares keys as the service does, by UTF-16 code unit. The end of a list follows every key. */
function compareKeys(a: EntityKey | undefined, b: EntityKey | undefined): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  return a.rowKey === b.rowKey ? 0 : a.rowKey < b.rowKey ? -1 : 1;
}

/** Returns the properties of an entity with their types, in a canonical order. */
function contentOf(text: EntityText): string {
  return JSON.stringify(
    readProperties(withoutKeyPlaces(text))
      .map(({ name, type, json }) => [name, type, json])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

/** Adds the entities of both sides. */
function sized(difference: Difference, before?: EntityText, after?: EntityText): SizedDifference {
  const entities = {
    ...(before !== undefined && { before: shownEntity(withoutKeyPlaces(before)) }),
    ...(after !== undefined && { after: shownEntity(withoutKeyPlaces(after)) }),
  };
  return { difference: { ...difference, ...entities }, characters: (before?.length ?? 0) + (after?.length ?? 0) };
}

/** Differences in a list, by default and at most. (Our choice: a list is held in memory.) */
const [usual, most] = [1000, 10_000];

/** Most entity text in a list, unless its first difference exceeds this. Unit: characters. (Our choice: as above.) */
const charactersMax = 16 * 1024 * 1024;

/** Checks the length of a list. Errors: StateFault. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0 && limit <= most)) return;
  throw new StateFault('invalid', `A list has 1 to ${most} differences, not ${limit}.`);
}

/** Collects differences up to a limit checked by `checkLimit`. */
export async function listDifferences(
  source: AsyncIterable<SizedDifference>,
  limit: number = usual,
): Promise<DiffReport> {
  const differences: Difference[] = [];
  let total = 0;
  for await (const { difference, characters } of source) {
    total += characters;
    const isFull = differences.length > 0 && total > charactersMax;
    if (isFull || differences.length === limit) return { differences, more: true };
    differences.push(difference);
  }
  return { differences, more: false };
}
