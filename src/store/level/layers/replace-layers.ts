import type { PendingChange, RecordDirectory } from '../directories/record-directory.js';
import { type FoundTable, type Layer, layersOfTable, withLayers } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers } from './replace-tables.js';
import { areSame, type LayerList } from './rows-users.js';
import type { FrozenAccount, KeptRecord } from './snapshot-record.js';

/**
 * Returns what puts a layer in the place of others wherever tables and snapshots use them together, or in one table, and drops those that
 * none uses then. It shows the same rows as they do together.
 */
export function replaceLayers(
  parts: LevelParts,
  replaced: LayerList,
  layer: Layer,
  only?: FoundTable,
): PendingChange[] {
  const { tables, snapshots, kept } = parts;
  const changes: PendingChange[] = [];
  const found = only && tables.findAgain(only);
  for (const { account, nameKey, table } of found ? [found] : [...tables.allPending()]) {
    const layers = withLayer(layersOfTable(account, table), replaced, layer);
    if (layers) changes.push(tables.change({ account, nameKey, table: withLayers(account, table, layers) }));
  }
  if (!found) changes.push(...replaceIn(snapshots, replaced, layer), ...replaceIn(kept, replaced, layer));
  const released = replaced.filter(({ id }) => id !== layer.id);
  return [...changes, ...dropLayers(parts, released)];
}

/** Returns what puts a layer in the place of others in the records of frozen accounts. */
function replaceIn<T extends Pick<KeptRecord, 'accounts'>>(
  directory: RecordDirectory<T>,
  replaced: LayerList,
  layer: Layer,
): PendingChange[] {
  const isConcerned = ({ tables }: FrozenAccount) => tables.some(({ layers }) => withLayer(layers, replaced, layer));
  const replaceInAll = (accounts: readonly FrozenAccount[]) =>
    accounts.map((account) => ({
      ...account,
      tables: account.tables.map(({ layers, ...table }) => ({
        ...table,
        layers: withLayer(layers, replaced, layer) ?? layers,
      })),
    }));
  return directory
    .allPending()
    .filter(([, { accounts }]) => accounts.some(isConcerned))
    .map(([name, record]) => directory.put(name, { ...record, accounts: replaceInAll(record.accounts) }));
}

/** Returns a list with a layer in the place of others; undefined if they are not there. */
export function withLayer(layers: LayerList, replaced: LayerList, layer: Layer): LayerList | undefined {
  const at = layers.findIndex(({ id }) => id === replaced[0]?.id);
  const end = at + replaced.length;
  if (at < 0 || !areSame(layers.slice(at, end), replaced)) return undefined;
  return [...layers.slice(0, at), layer, ...layers.slice(end)];
}
