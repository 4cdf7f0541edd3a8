import type { EntityText } from '../entity/stored/entity.js';
import { readProperties, withoutKeyPlaces } from '../entity/stored/read-property.js';
import type { AccountState, FrozenTables, SnapshotStore } from '../store/snapshots.js';
import type { TableStore } from '../store/store.js';
import type { TableSelection } from '../store/stored-parts.js';
import type { Difference } from './contract.js';
import { FrozenStates } from './frozen-states.js';
import { pairRows, type Rows, rowsOf } from './pair-rows.js';
import { noTable } from './reset.js';

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
