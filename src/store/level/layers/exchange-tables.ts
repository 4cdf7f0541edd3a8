import { isDeepStrictEqual } from 'node:util';
import { storageTraits } from '../../../protocol/service-traits.js';
import { checkService } from '../../account-services.js';
import { type Exchange, type Exchanged, type KeptId, named } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import type { Decision } from '../decide.js';
import { keepService, replaceSettings } from '../directories/account-records.js';
import type { PendingChange } from '../directories/record-directory.js';
import type { TableRecord } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers, emptyTables, replaceTables, resetAccount } from './replace-tables.js';
import {
  type FrozenAccount,
  type FrozenTable,
  freezeAccount,
  freezeTable,
  layersOf,
  snapshotKey,
} from './snapshot-record.js';

/**
 * Replaces and removes whole tables, and keeps how they were, as `SnapshotStore.exchange`. The result is undefined, without a
 * change, if the snapshot or kept state, or one of its accounts, is missing.
 */
export function exchangeTables(
  parts: LevelParts,
  { restored, reset = [], emptied = [] }: Exchange,
  kept: (KeptId & { readonly note: string }) | undefined,
): Decision<Exchanged | undefined> {
  const from = restored?.snapshot;
  const key = from && snapshotKey(typeof from === 'string' ? named(from) : from);
  const snapshot = key === undefined ? undefined : parts.snapshots.findPending(key);
  const used = typeof from === 'object' ? snapshot : undefined;
  const moves = (restored?.accounts ?? []).flatMap(({ from, to, concerns }) => {
    const frozen = snapshot?.accounts.find(({ name }) => name === from);
    return frozen ? [{ frozen, to, concerns }] : [];
  });
  if (moves.length < (restored?.accounts.length ?? 0) || (restored && !snapshot)) return { result: undefined };

  const emptiedTables = emptied.map(({ account, names }) => ({
    account,
    tables: names.flatMap((name) => parts.tables.findPending(account, name) ?? []),
  }));
  const freeze = (account: string, concerns?: TableSelection) => freezeAccount(parts, account, concerns);
  const before = [
    ...moves.map(({ to, concerns }) => freeze(to, concerns)),
    ...reset.map((account) => freeze(account)),
    ...emptiedTables.map(({ account, tables }) => {
      const keys = new Set(tables.map(({ name }) => name));
      return freeze(account, (_, name) => keys.has(name));
    }),
  ];
  const record = kept && { ...kept, at: parts.clock.nextTimestamp(), accounts: before };
  const released = record ? layersOf(parts.snapshots.findPending(snapshotKey(record))) : [];
  // First: layers that it has are not dropped with their tables.
  const begun = record ? [parts.snapshots.put(snapshotKey(record), record)] : [];
  const made = [
    ...moves.flatMap(({ frozen, to, concerns }) =>
      concerns ? thawTables(parts, frozen, to, concerns) : thawAccount(parts, frozen, to),
    ),
    ...reset.flatMap((account) => resetAccount(parts, account)),
    ...emptiedTables.flatMap(({ account, tables }) => emptyTables(parts, account, tables)),
  ];
  const after = moves.map(({ to, concerns }) => freeze(to, concerns));
  const dropped = used ? [parts.snapshots.remove(snapshotKey(used))] : [];
  const result = {
    removed: before.reduce((sum, { tables }) => sum + tables.length, 0),
    given: after.reduce((sum, { tables }) => sum + tables.length, 0),
  };
  return { result, changes: [...begun, ...made, ...dropped, ...dropLayers(parts, [...released, ...layersOf(used)])] };
}

/** Gives an account frozen tables in place of its own; with `concerns`, only those that it accepts by account and name. */
function thawTables(
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
