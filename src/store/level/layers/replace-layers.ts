import type { PendingChange } from '../directories/pending-values.js';
import { type FoundTable, type Layer, layersOfTable, withLayers } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers } from './drop-tables.js';
import { areSame, type LayerList } from './rows-users.js';
import type { FrozenAccount } from './snapshot-record.js';

/**
 * Returns what puts a layer in the place of others wherever they are used together, or in one table, and drops those that
 * nothing uses then. It shows the same rows as they do together.
 */
export function replaceLayers(
  parts: LevelParts,
  replaced: LayerList,
  layer: Layer,
  only?: FoundTable,
): PendingChange[] {
  const { tables, snapshots, kept, users } = parts;
  const changes: PendingChange[] = [];
  const found = only && tables.findAgain(only);
  for (const { account, nameKey, table } of found ? [found] : [...tables.allPending()]) {
    const layers = withLayer(layersOfTable(account, table), replaced, layer);
    if (layers) changes.push(tables.change({ account, nameKey, table: withLayers(account, table, layers) }));
  }
  for (const snapshot of found ? [] : snapshots.allPending()) {
    const accounts = replaceIn(snapshot.accounts, replaced, layer);
    if (accounts) changes.push(snapshots.put({ ...snapshot, accounts }));
  }
  for (const state of found ? [] : kept.allPending()) {
    const accounts = replaceIn(state.accounts, replaced, layer);
    const after = state.after && replaceIn(state.after, replaced, layer);
    if (accounts || after) changes.push(kept.put({ ...state, ...(accounts && { accounts }), ...(after && { after }) }));
  }
  const moveHolds = () => {
    for (const hold of users.holds) {
      const layers = withLayer(hold.layers, replaced, layer);
      if (layers) users.move(hold, layers);
    }
  };
  const released = replaced.filter(({ id }) => id !== layer.id);
  return [...changes, { records: [], written: moveHolds }, ...dropLayers(parts, released)];
}

/** Returns frozen accounts with a layer in the place of others; undefined if they are not there. */
function replaceIn(
  accounts: readonly FrozenAccount[],
  replaced: LayerList,
  layer: Layer,
): readonly FrozenAccount[] | undefined {
  let isChanged = false;
  const changed = accounts.map((account) => {
    const tables = account.tables.map((table) => {
      const layers = withLayer(table.layers, replaced, layer);
      isChanged ||= layers !== undefined;
      return layers ? { ...table, layers } : table;
    });
    return { ...account, tables };
  });
  return isChanged ? changed : undefined;
}

/** Returns a list with a layer in the place of others; undefined if they are not there. */
export function withLayer(layers: LayerList, replaced: LayerList, layer: Layer): LayerList | undefined {
  const at = layers.findIndex((_, start) => areSame(layers.slice(start, start + replaced.length), replaced));
  return at < 0 ? undefined : [...layers.slice(0, at), layer, ...layers.slice(at + replaced.length)];
}
