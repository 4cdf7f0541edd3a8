import type { AccountServices } from '../../account-services.js';
import type { TableSelection } from '../../copy/stored-parts.js';
import type { KeptId, TableReversal } from '../../snapshots.js';
import { numberArray } from '../connection/array-parameters.js';
import type { RunStatement } from '../write/transactions.js';
import {
  checkFrozenService,
  copyRows,
  deleteSettings,
  deleteTables,
  dropRows,
  type FrozenAccount,
  type FrozenTable,
  lockDirectory,
  lockTables,
  readAccounts,
  type Setting,
  withTables,
  writeAccounts,
  writeSettings,
} from './frozen-account.js';
import { readSnapshot } from './snapshot-rows.js';

/** A kept state, and which of its tables are reverted. */
export interface RevertedTables {
  readonly id: KeptId;
  /** Decides by account and name. Absent: all tables. */
  readonly concerns: TableSelection | undefined;
}

/** A table as it is, and as it was before and after something. What is missing is undefined. */
interface Candidate {
  readonly account: string;
  readonly name: string;
  /** A copy of what it was before. */
  readonly before: FrozenTable | undefined;
  readonly after: FrozenTable | undefined;
  readonly present: FrozenTable | undefined;
}

/**
 * Gives tables and settings back what they were before something, as `KeptStates.revertTables`. It needs a transaction that sees
 * what others commit meanwhile.
 */
export async function revertTables(
  run: RunStatement,
  services: AccountServices,
  { id, concerns }: RevertedTables,
): Promise<TableReversal | undefined> {
  const found = await readSnapshot(run, id, 'locked');
  if (!found) return undefined;
  const { accounts: old, after: left } = found;
  const select = (account: FrozenAccount) => withTables(account, (name) => concerns?.(account.name, name) ?? true);
  if (!left) {
    const changed = old.flatMap((account) =>
      select(account).tables.map(({ name }) => ({ account: account.name, name })),
    );
    return { tables: 0, changed };
  }
  for (const account of old) checkFrozenService(services, account, account.name);
  // Requests go on while rows are copied.
  const { copies } = await copyRows(
    run,
    old.map((account) => ({ ...select(account), settings: [] })),
  );
  await lockDirectory(run);
  const names = old.map(({ name }) => name);
  const present = (await readAccounts(run, names)).map(select);
  await lockTables(run, idsOf(present.flatMap(({ tables }) => tables)));

  const tablesIn = (accounts: readonly FrozenAccount[], owner: string) =>
    accounts.filter(({ name }) => name === owner).flatMap((account) => select(account).tables);
  const candidates = copies.flatMap(({ name, tables }) =>
    pairTables(name, { before: tables, after: tablesIn(left, name), present: tablesIn(present, name) }),
  );
  const written = await findWritten(run, candidates);
  const isReverted = ({ after, present }: Candidate) => isSame(after, present) && !(present && written.has(present.id));
  const reverted = candidates.filter(isReverted);
  const changed = candidates.filter((one) => !isReverted(one));

  await deleteTables(run, idsOf(reverted.map((one) => one.present)));
  await dropRows(run, idsOf(changed.map((one) => one.before)));
  const back = new Set(reverted.map((one) => one.before));
  const accounts = copies.map((account) => ({ ...account, tables: account.tables.filter((table) => back.has(table)) }));
  await writeAccounts(
    run,
    accounts.filter(({ tables }) => tables.length > 0),
  );
  if (!concerns) await revertSettings(run, old, left, present);
  return { tables: reverted.length, changed: changed.map(({ account, name }) => ({ account, name })) };
}

/** Gives accounts back the settings that they had before something, if they still have those of afterwards. */
async function revertSettings(
  run: RunStatement,
  before: readonly FrozenAccount[],
  ...afterwards: readonly (readonly FrozenAccount[])[]
): Promise<void> {
  const textOf = (settings: readonly Setting[] = []) =>
    JSON.stringify(settings.map(({ name, value }) => [name, value]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
  const reverted = before.filter(({ name, settings }) => {
    const [left, present] = afterwards.map((accounts) => textOf(accounts.find((one) => one.name === name)?.settings));
    return left === present && left !== textOf(settings);
  });
  if (reverted.length === 0) return;
  await deleteSettings(
    run,
    reverted.map(({ name }) => name),
  );
  await writeSettings(run, reverted);
}

/** Returns the tables of an account that it had before or afterwards. */
function pairTables(
  account: string,
  { before, after, present }: Readonly<Record<'before' | 'after' | 'present', readonly FrozenTable[]>>,
): readonly Candidate[] {
  const names = new Map([...after, ...before].map(({ key, name }) => [key, name]));
  const findIn = (tables: readonly FrozenTable[], key: string) => tables.find((table) => table.key === key);
  return [...names].map(([key, name]) => ({
    account,
    name,
    before: findIn(before, key),
    after: findIn(after, key),
    present: findIn(present, key),
  }));
}

/** Returns whether a table is the same one with the same policies, or missing in both. */
function isSame(one: FrozenTable | undefined, other: FrozenTable | undefined): boolean {
  if (!one || !other) return one === other;
  return one.name === other.name && one.created === other.created && one.policies === other.policies;
}

/** Returns the ids of the present tables whose entities are not those of afterwards. No two writes of an entity have one stamp. */
async function findWritten(run: RunStatement, candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
  const pairs = candidates.filter(({ after, present }) => after && present);
  const rows = await run<{ readonly id: string }>(
    `SELECT q.id FROM unnest($1::bigint[], $2::bigint[]) q(id, was) WHERE EXISTS (
       SELECT FROM (SELECT pk, rk, ts FROM entities WHERE table_id = q.id) e
       FULL JOIN (SELECT pk, rk, ts FROM entities WHERE table_id = q.was) w USING (pk, rk)
       WHERE e.ts IS DISTINCT FROM w.ts)`,
    [idsOf(pairs.map((one) => one.present)), idsOf(pairs.map((one) => one.after))],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the ids of tables as a parameter. */
function idsOf(tables: readonly (FrozenTable | undefined)[]): string {
  return numberArray(tables.flatMap((table) => table?.id ?? []));
}
