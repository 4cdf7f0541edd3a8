import type { PendingChange } from '../directories/pending-values.js';
import { type Layer, layersOfTable, type TableRecord } from '../directories/table-directory.js';
import { encodeDroppedKey, prefixOfLayer } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import type { LayerList } from './rows-users.js';

/** Drops tables of an account, and keeps their rows. */
export function dropTables(
  { tables, cache }: LevelParts,
  account: string,
  dropped: readonly TableRecord[],
): PendingChange[] {
  return dropped.map((table) => {
    const { records, written } = tables.drop(account, table);
    const [own] = layersOfTable(account, table);
    return {
      records,
      written: () => {
        written();
        cache.drop(prefixOfLayer(own));
      },
    };
  });
}

/** Returns the layers of tables. */
export function layersOfTables(account: string, tables: readonly TableRecord[]): LayerList {
  return tables.flatMap((table) => layersOfTable(account, table));
}

/** Returns the lists of layers of all tables, snapshots and kept states, as they will be when all pending changes are written. */
export function* allLayers({ tables, ...parts }: Frozen & Pick<LevelParts, 'tables'>): Generator<LayerList> {
  for (const { account, table } of tables.allPending()) yield layersOfTable(account, table);
  yield* layersOfSnapshots(parts);
}

type Frozen = Pick<LevelParts, 'snapshots' | 'kept'>;

/** Returns the lists of layers of all snapshots and kept states. */
export function* layersOfSnapshots({ snapshots, kept }: Frozen): Generator<LayerList> {
  const states = kept.allPending().flatMap(({ accounts, after = [] }) => [accounts, after]);
  for (const accounts of [...snapshots.allPending().map((one) => one.accounts), ...states]) {
    for (const account of accounts) for (const { layers } of account.tables) yield layers;
  }
}

/**
 * Drops the rows of those layers that no table and no snapshot uses any more. Must be called after everything that uses or
 * releases them in the same commit. A record of kind `dropped` stays until the rows are deleted.
 */
export function dropLayers(parts: LevelParts, released: LayerList): PendingChange[] {
  const left = new Map<string, Layer>();
  const shared = new Map<string, Layer>();
  for (const layer of released) (parts.users.isShared(layer) ? shared : left).set(layer.id, layer);
  if (shared.size > 0) {
    for (const layers of allLayers(parts)) for (const { id } of layers) shared.delete(id);
    for (const [id, layer] of shared) left.set(id, layer);
  }
  return [...left.values()].map(({ account, id }) => ({
    records: [{ key: encodeDroppedKey(account, id), value: '' }],
    written: () => parts.dead.drop(account, id),
  }));
}
