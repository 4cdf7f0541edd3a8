import { isDeepStrictEqual } from 'node:util';
import { storageTraits } from '../../../protocol/service-traits.js';
import { checkService } from '../../account-services.js';
import type { TableSelection } from '../../stored-parts.js';
import { keepService, replaceSettings } from '../directories/account-records.js';
import type { PendingChange } from '../directories/record-directory.js';
import type { TableRecord } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { replaceTables } from './replace-tables.js';
import { type FrozenAccount, type FrozenTable, freezeTable } from './snapshot-record.js';

/** Gives an account frozen tables in place of its own; with `concerns`, only those that it accepts by account and name. */
export function thawTables(
  parts: LevelParts,
  { tables: all, service }: Pick<FrozenAccount, 'tables' | 'service'>,
  account: string,
  concerns: TableSelection = () => true,
): PendingChange[] {
  const { tables, services } = parts;
  const frozen = all.filter(({ name }) => concerns(account, name));
  const stored = service ?? (frozen.length > 0 ? storageTraits.service : undefined);
  checkService(account, stored, services.traitsOf(account).service);
  const wanted = new Map(frozen.map((table) => [services.nameKey(account, table.name), table]));
  const dropped = tables.listPending(account).filter((table) => {
    if (!concerns(account, table.name)) return false;
    const name = services.nameKey(account, table.name);
    // A table that was not changed costs nothing.
    return !isSame(account, table, wanted.get(name)) || !wanted.delete(name);
  });
  const kept = frozen.length > 0 ? keepService(parts, account) : [];
  return [...kept, ...replaceTables(parts, account, dropped, [...wanted.values()])];
}

/** Makes an account what another one was, with its settings. */
export function thawAccount(parts: LevelParts, frozen: FrozenAccount, account: string): PendingChange[] {
  return [...thawTables(parts, frozen, account), replaceSettings(parts, account, frozen.settings)];
}

/** Returns whether a table is as a snapshot has it: not written since, or missing in both. */
function isSame(account: string, found: TableRecord | undefined, frozen: FrozenTable | undefined): boolean {
  if (!found || !frozen) return found === undefined && frozen === undefined;
  return isDeepStrictEqual(inOrder(freezeTable(account, found)), inOrder(frozen));
}

function inOrder({ name, created, policies = [], layers }: FrozenTable): readonly unknown[] {
  return [name, created, policies, layers];
}
