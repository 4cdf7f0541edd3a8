import type { TableSelection } from '../../copy/stored-parts.js';
import type { Exchange, Exchanged, KeptId } from '../../snapshots.js';
import type { PendingChange } from '../directories/pending-values.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers } from './drop-tables.js';
import { emptyTables, resetAccount } from './empty-accounts.js';
import { type FrozenAccount, layersOf } from './snapshot-record.js';
import { thawAccount, thawTables } from './thaw-tables.js';

/** Returns an account as it is now, with those tables that are concerned. */
type Freeze = (account: string, concerns?: TableSelection) => FrozenAccount;

/**
 * Replaces and removes whole tables, and keeps how they were and how that left them, as `SnapshotStore.exchange`. Returns
 * undefined, without a change, if the snapshot or one of its accounts is missing.
 */
export function exchangeTables(
  parts: LevelParts,
  freeze: Freeze,
  { restored, reset = [], emptied = [] }: Exchange,
  kept: (KeptId & { readonly note: string }) | undefined,
): { readonly exchanged: Exchanged; readonly changes: readonly PendingChange[] } | undefined {
  const snapshot = restored && parts.snapshots.findPending(restored.snapshot);
  const moves = (restored?.accounts ?? []).map(({ from, ...move }) => ({
    ...move,
    frozen: snapshot?.accounts.find(({ name }) => name === from),
  }));
  if (restored && (!snapshot || moves.some(({ frozen }) => !frozen))) return undefined;

  const emptiedTables = emptied.map(({ account, names }) => ({
    account,
    tables: names.flatMap((name) => parts.tables.findPending(account, name) ?? []),
  }));
  const before = [
    ...moves.map(({ to, concerns }) => freeze(to, concerns)),
    ...reset.map((account) => freeze(account)),
    ...emptiedTables.map(({ account, tables }) => {
      const keys = new Set(tables.map(({ name }) => name));
      return freeze(account, (_, name) => keys.has(name));
    }),
  ];
  const given = moves.flatMap(({ to, concerns, frozen }) =>
    frozen
      ? [
          {
            to,
            concerns,
            account: { ...frozen, tables: frozen.tables.filter(({ name }) => concerns?.(to, name) ?? true) },
          },
        ]
      : [],
  );
  const exchanged = {
    removed: before.reduce((sum, { tables }) => sum + tables.length, 0),
    given: given.reduce((sum, { account }) => sum + account.tables.length, 0),
  };
  const record = kept && { ...kept, at: parts.clock.nextTimestamp(), accounts: before };
  const released = record ? layersOf(parts.kept.findPending(keptName(record))) : [];
  // First: layers that it has are not dropped with their tables.
  const begun = record ? [parts.kept.put(record)] : [];
  const made = [
    ...given.flatMap(({ to, concerns, account }) =>
      concerns ? thawTables(parts, account, to, (name) => concerns(to, name)) : thawAccount(parts, account, to),
    ),
    ...reset.flatMap((account) => resetAccount(parts, account)),
    ...emptiedTables.flatMap(({ account, tables }) => emptyTables(parts, account, tables)),
  ];
  const after = given.map(({ to, concerns }) => freeze(to, concerns));
  const ended = record ? [parts.kept.put({ ...record, after })] : [];
  return { exchanged, changes: [...begun, ...made, ...ended, ...dropLayers(parts, released)] };
}
