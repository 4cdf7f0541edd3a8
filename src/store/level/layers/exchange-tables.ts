import type { Exchange, Exchanged, KeptId } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import type { Decision } from '../decide.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers, emptyTables, resetAccount } from './replace-tables.js';
import { freezeAccount, layersOf } from './snapshot-record.js';
import { thawAccount, thawTables } from './thaw-tables.js';

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
  const used = typeof from === 'object' ? parts.kept.findPending(keptName(from)) : undefined;
  const snapshot = typeof from === 'string' ? parts.snapshots.findPending(from) : used;
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
  const released = record ? layersOf(parts.kept.findPending(keptName(record))) : [];
  // First: layers that it has are not dropped with their tables.
  const begun = record ? [parts.kept.put(keptName(record), record)] : [];
  const made = [
    ...moves.flatMap(({ frozen, to, concerns }) =>
      concerns ? thawTables(parts, frozen, to, concerns) : thawAccount(parts, frozen, to),
    ),
    ...reset.flatMap((account) => resetAccount(parts, account)),
    ...emptiedTables.flatMap(({ account, tables }) => emptyTables(parts, account, tables)),
  ];
  const after = moves.map(({ to, concerns }) => freeze(to, concerns));
  const dropped = used ? [parts.kept.remove(keptName(used))] : [];
  const result = {
    removed: before.reduce((sum, { tables }) => sum + tables.length, 0),
    given: after.reduce((sum, { tables }) => sum + tables.length, 0),
  };
  return { result, changes: [...begun, ...made, ...dropped, ...dropLayers(parts, [...released, ...layersOf(used)])] };
}
