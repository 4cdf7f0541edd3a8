import type { AccountServices } from '../../account-services.js';
import { type Exchange, type Exchanged, type KeptId, named } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import { numberArray, textArray } from '../connection/array-parameters.js';
import type { RunStatement } from '../write/transactions.js';
import {
  checkFrozenService,
  copyRows,
  deleteSettings,
  deleteTables,
  dropRows,
  type FrozenAccount,
  lockDirectory,
  lockTables,
  readAccounts,
  withTables,
  writeAccounts,
} from './frozen-account.js';
import { forgetSnapshot, putSnapshot, readSnapshot } from './snapshot-rows.js';

/** What happens to an account. */
export interface Move {
  readonly account: string;
  readonly how: 'restored' | 'reset' | 'emptied';
  /** Decides by account and name which tables. Absent: all, and the settings. */
  readonly concerns: TableSelection | undefined;
}

/**
 * Replaces and removes whole tables, and keeps how they were, as `SnapshotStore.exchange`. It needs a transaction that sees what
 * others commit meanwhile.
 */
export async function exchangeTables(
  run: RunStatement,
  services: AccountServices,
  exchange: Exchange,
  kept: (KeptId & { readonly note: string }) | undefined,
): Promise<Exchanged | undefined> {
  const given = await findGiven(run, services, exchange.restored);
  if (!given) return undefined;
  const from = exchange.restored?.snapshot;
  // A kept state is dropped with its restore, so its rows are used as they are. Requests continue while those of a snapshot are copied.
  const tables = typeof from === 'object' ? given : (await copyRows(run, given)).copies;
  const moves = movesOf(services, exchange);
  const before = await takeAway(run, moves);
  await writeAccounts(run, tables);
  // No further copies: the rows of a table that is removed stay as long as a snapshot has its id, and it was given those of one.
  if (kept) await putSnapshot(run, kept, { accounts: before, note: kept.note });
  if (typeof from === 'object') {
    await forgetSnapshot(run, from);
    const ids = numberArray(tables.flatMap((account) => account.tables.map(({ id }) => id)));
    await run('DELETE FROM dropped WHERE table_id = ANY ($1::bigint[])', [ids]);
  }
  return { removed: countTables(before), given: countTables(tables) };
}

/** Returns what accounts get from a snapshot, with its rows. Returns undefined if it, or one of its accounts, is missing. */
async function findGiven(
  run: RunStatement,
  services: AccountServices,
  restored: Exchange['restored'],
): Promise<readonly FrozenAccount[] | undefined> {
  if (!restored) return [];
  const from = restored.snapshot;
  const found = await (typeof from === 'string'
    ? readSnapshot(run, named(from), 'SHARE')
    : readSnapshot(run, from, 'UPDATE'));
  const given = restored.accounts.flatMap(({ from: name, to, concerns }) => {
    const account = found?.find((one) => one.name === name);
    if (!account) return [];
    const taken = concerns ? { ...withTables(account, (name) => concerns(to, name)), settings: [] } : account;
    checkFrozenService(services, taken, to);
    return { ...taken, name: to };
  });
  return found && given.length === restored.accounts.length ? given : undefined;
}

/** Returns what an exchange does to each of its accounts. */
export function movesOf(services: AccountServices, { restored, reset = [], emptied = [] }: Exchange): readonly Move[] {
  return [
    ...(restored?.accounts ?? []).map(({ to, concerns }) => ({ account: to, how: 'restored', concerns }) as const),
    ...reset.map((account) => ({ account, how: 'reset', concerns: undefined }) as const),
    ...emptied.map(({ account, names }) => {
      const keys = new Set(names.map((name) => services.nameKey(account, name)));
      const concerns: TableSelection = (_, name) => keys.has(services.nameKey(account, name));
      return { account, how: 'emptied', concerns } as const;
    }),
  ];
}

/** Removes or empties what accounts lose, and returns it. Until the end of the transaction others can neither create nor drop tables. */
async function takeAway(run: RunStatement, moves: readonly Move[]): Promise<readonly FrozenAccount[]> {
  await lockDirectory(run);
  const found = await readAccounts(
    run,
    moves.map(({ account }) => account),
  );
  const lost = moves.map((move, at) => {
    const account = found[at] as FrozenAccount;
    return { ...move, account: withTables(account, (name) => move.concerns?.(account.name, name) ?? true) };
  });
  const idsOf = (...hows: readonly Move['how'][]) =>
    numberArray(lost.flatMap(({ how, account }) => (hows.includes(how) ? account.tables.map(({ id }) => id) : [])));
  await lockTables(run, idsOf('restored', 'reset', 'emptied'));
  await deleteTables(run, idsOf('restored', 'reset'));
  await run('UPDATE tables SET id = DEFAULT WHERE id = ANY ($1::bigint[])', [idsOf('emptied')]);
  await dropRows(run, idsOf('emptied'));
  const whole = moves.filter(({ concerns }) => !concerns).map(({ account }) => account);
  const settings = await deleteSettings(run, whole);
  const reset = moves.filter(({ how }) => how === 'reset').map(({ account }) => account);
  await run('DELETE FROM accounts WHERE account = ANY ($1::text[])', [textArray(reset)]);
  return lost.map(({ account }) => ({
    ...account,
    settings: settings.flatMap(({ account: of, ...setting }) => (of === account.name ? [setting] : [])),
  }));
}

function countTables(accounts: readonly FrozenAccount[]): number {
  return accounts.reduce((sum, { tables }) => sum + tables.length, 0);
}
