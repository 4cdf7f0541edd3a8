import { isDeepStrictEqual } from 'node:util';
import { defaultServiceProperties } from '../../../protocol/service-properties.js';
import { storageTraits } from '../../../protocol/service-traits.js';
import { checkService } from '../../account-services.js';
import type { TableSelection } from '../../copy/stored-parts.js';
import type { TableReversal } from '../../snapshots.js';
import { keepService } from '../directories/account-records.js';
import type { PendingChange } from '../directories/pending-values.js';
import { type TableRecord, withLayers } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers, dropTables, layersOfTables } from './drop-tables.js';
import { type FrozenAccount, type FrozenTable, freezeTable } from './snapshot-record.js';

/** Gives an account frozen tables in place of its own, or of those whose names `concerns` accepts. */
export function thawTables(
  parts: LevelParts,
  { tables: frozen, service }: Pick<FrozenAccount, 'tables' | 'service'>,
  account: string,
  concerns?: (name: string) => boolean,
): PendingChange[] {
  const { tables, services } = parts;
  const stored = service ?? (frozen.length > 0 ? storageTraits.service : undefined);
  checkService(account, stored, services.traitsOf(account).service);
  const wanted = new Map(frozen.map((table) => [services.nameKey(account, table.name), table]));
  const dropped: TableRecord[] = [];
  for (const table of tables.listPending(account)) {
    const name = services.nameKey(account, table.name);
    if (concerns && !concerns(table.name)) continue;
    // A table that was not changed keeps the rows that are cached.
    if (isSame(account, table, wanted.get(name))) wanted.delete(name);
    else dropped.push(table);
  }
  const drops = dropTables(parts, account, dropped);
  const puts = [...wanted.values()].map((table) => tables.put(account, withLayers(account, table, table.layers)));
  const released = layersOfTables(account, dropped);
  const kept = frozen.length > 0 ? keepService(parts, account) : [];
  return [...kept, ...drops, ...puts, ...dropLayers(parts, released)];
}

/** Makes an account what another one was, with its settings. */
export function thawAccount(parts: LevelParts, frozen: FrozenAccount, account: string): PendingChange[] {
  return [...thawTables(parts, frozen, account), parts.settings.replace(account, frozen.settings)];
}

/**
 * Gives tables back what they were before something, each only if it still is as it was after that. `concerns` decides which
 * tables, by account and name; without it, all, and the settings in the same way.
 */
export function revertTables(
  parts: LevelParts,
  before: readonly FrozenAccount[],
  after: readonly FrozenAccount[],
  concerns: TableSelection | undefined,
): TableReversal & { readonly changes: readonly PendingChange[] } {
  const changes: PendingChange[] = [];
  const changed: { account: string; name: string }[] = [];
  let count = 0;
  for (const { name: account, tables, service, settings } of before) {
    const isConcerned = ({ name }: FrozenTable) => concerns?.(account, name) ?? true;
    const old = tables.filter(isConcerned);
    const keyOf = ({ name }: FrozenTable) => parts.services.nameKey(account, name);
    const end = after.find(({ name }) => name === account);
    const left = (end?.tables ?? []).filter(isConcerned);
    const expected = new Map(left.map((table) => [keyOf(table), table]));
    const concerned = new Map([...left, ...old].map((table) => [keyOf(table), table.name]));
    const reverted = new Set<string>();
    for (const [key, name] of concerned) {
      if (isSame(account, parts.tables.findPending(account, name), expected.get(key))) reverted.add(key);
      else changed.push({ account, name });
    }
    count += reverted.size;
    const frozen = old.filter((table) => reverted.has(keyOf(table)));
    const isReverted = (name: string) => reverted.has(parts.services.nameKey(account, name));
    const thawed = { tables: frozen, ...(service !== undefined && { service }) };
    changes.push(...thawTables(parts, thawed, account, isReverted));
    const isAsLeft = isDeepStrictEqual(parts.settings.readPending(account), end?.settings ?? defaultServiceProperties);
    if (!concerns && isAsLeft) changes.push(parts.settings.replace(account, settings));
  }
  return { tables: count, changed, changes };
}

/** Returns whether a table is as a snapshot has it: not written since, or missing in both. */
function isSame(account: string, found: TableRecord | undefined, frozen: FrozenTable | undefined): boolean {
  if (!found || !frozen) return found === undefined && frozen === undefined;
  return isDeepStrictEqual(inOrder(freezeTable(account, found)), inOrder(frozen));
}

function inOrder({ name, created, policies = [], layers }: FrozenTable): readonly unknown[] {
  return [name, created, policies, layers];
}
