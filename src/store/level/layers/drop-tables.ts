import type { PendingChange } from '../directories/pending-values.js';
import type { Layer, TableRecord } from '../directories/table-directory.js';
import { encodeDroppedKey, entityPrefix } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-table.js';
import { layersOf } from './snapshot-record.js';

/** Drops tables of an account, and keeps their layers. */
export function dropTables(parts: LevelParts, account: string, dropped: readonly TableRecord[]): PendingChange[] {
  const { tables, cache, dead } = parts;
  return dropped.map((table) => {
    const { records, written } = tables.drop(account, table);
    return {
      records,
      written: () => {
        written();
        cache.drop(entityPrefix(account, table.id));
        dead.drop(account, table.id);
      },
    };
  });
}

/**
 * Drops those of the layers that no table and no snapshot uses any more. Must be called after everything that uses or
 * releases them in the same batch.
 */
export function dropLayers({ tables, snapshots, dead }: LevelParts, released: readonly Layer[]): PendingChange[] {
  if (released.length === 0) return [];
  const keyOf = ({ account, id }: Layer) => encodeDroppedKey(account, id);
  const left = new Map(released.map((layer) => [keyOf(layer), layer]));
  for (const { table } of tables.allPending()) for (const layer of table.layers ?? []) left.delete(keyOf(layer));
  for (const snapshot of snapshots.allPending()) for (const layer of layersOf(snapshot)) left.delete(keyOf(layer));
  return [...left].map(([key, { account, id }]) => ({
    records: [{ key, value: '' }],
    written: () => dead.drop(account, id),
  }));
}
