import { forgetService } from '../directories/account-records.js';
import type { PendingChange } from '../directories/record-directory.js';
import { type Layer, layersOfTable, newTableId, type TableRecord, withLayers } from '../directories/table-directory.js';
import { encodeDroppedKey, prefixOfLayer } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import type { LayerList } from './rows-users.js';
import { type FrozenTable, freezeTable, listsOf } from './snapshot-record.js';

/** Drops tables of an account, and creates others. Unused rows are dropped. */
export function replaceTables(
  parts: LevelParts,
  account: string,
  dropped: readonly TableRecord[],
  created: readonly FrozenTable[] = [],
): PendingChange[] {
  const { tables } = parts;
  const drops = dropped.map((table) => tables.drop(account, table));
  const puts = created.map((table) => tables.put(account, withLayers(account, table, table.layers)));
  const released = dropped.flatMap((table) => layersOfTable(account, table));
  return [...drops, ...puts, ...dropLayers(parts, released)];
}

/** Implements `TableStore.reset`. */
export function resetAccount(parts: LevelParts, account: string): PendingChange[] {
  const drops = replaceTables(parts, account, parts.tables.listPending(account));
  return [...drops, parts.settings.remove(account), ...forgetService(parts, account)];
}

/** Gives tables of an account new, empty rows. */
export function emptyTables(parts: LevelParts, account: string, tables: readonly TableRecord[]): PendingChange[] {
  const empty = tables.map((table) => {
    const rows = { account, id: newTableId(parts.clock.nextTimestamp()) };
    return { ...freezeTable(account, table), layers: [rows] };
  });
  return replaceTables(parts, account, tables, empty);
}

type Frozen = Pick<LevelParts, 'snapshots'>;

/** Returns the lists of layers of all tables and snapshots as of all pending changes. */
export function* allLayers({ tables, ...parts }: Frozen & Pick<LevelParts, 'tables'>): Generator<LayerList> {
  for (const { account, table } of tables.allPending()) yield layersOfTable(account, table);
  yield* layersOfSnapshots(parts);
}

/** Returns the lists of layers of all snapshots as of all pending changes. */
export function* layersOfSnapshots({ snapshots }: Frozen): Generator<LayerList> {
  for (const [, record] of snapshots.allPending()) yield* listsOf(record);
}

/**
 * Drops the rows of layers without users. Within a commit, must come after everything that uses or releases them. A record of kind
 * `dropped` stays until the rows are deleted.
 */
export function dropLayers(parts: LevelParts, released: LayerList): PendingChange[] {
  const { users, cache, dead } = parts;
  const left = new Map<string, Layer>();
  for (const layer of released) if (!users.isUsed(layer)) left.set(layer.id, layer);
  const drops = [...left.values()].map(({ account, id }) => ({
    records: [{ key: encodeDroppedKey(account, id), value: '' }],
    written: () => {
      cache.drop(prefixOfLayer({ account, id }));
      dead.drop(account, id);
    },
  }));
  // The search for layers to merge visits all tables.
  const mayMerge = released.length === 0 || released.some((layer) => users.isStacked(layer));
  return mayMerge ? [...drops, { records: [], written: () => users.onLeft() }] : drops;
}
