import { storageTraits } from '../../../protocol/service-traits.js';
import type { AccountServices } from '../../account-services.js';
import {
  type AccountState,
  type BranchRecord,
  type Exchange,
  type ExchangeResult,
  emptyState,
  type KeptId,
  type KeptStates,
  named,
  type SnapshotId,
  type SnapshotStore,
  type SnapshotSummary,
} from '../../snapshots.js';
import type { StoreView, TableSelection } from '../../stored-parts.js';
import { numberArray, textArray } from '../connection/array-parameters.js';
import { notDone } from '../connection/failures.js';
import type { Readers } from '../read/readers.js';
import { timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';
import type { DirectoryWriter } from '../write/directory-writer.js';
import { type OrderOfArrival, reachOfSnapshot } from '../write/order-of-arrival.js';
import type { RunStatement, Transactions } from '../write/transactions.js';
import {
  endBranch,
  listBranches,
  listKept,
  listSnapshots,
  nextUndo,
  noteBranch,
  noteKept,
} from './branch-statements.js';
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

/** The dependencies of snapshots. */
interface PostgresSnapshotsParts {
  readonly readers: Readers;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  readonly transactions: Transactions;
  readonly services: AccountServices;
  /** Opens a view on a connection of its own. */
  readonly freeze: SnapshotStore['freeze'];
  /** Is called when rows have been dropped. */
  readonly onDropped: () => void;
}

/**
 * Keeps snapshots and branches as copies in the database. Each is created in one transaction, which sees one moment and blocks nothing. No
 * request reaches the rows of a snapshot, because no table has their ids.
 */
export class PostgresSnapshots implements SnapshotStore {
  readonly #parts: PostgresSnapshotsParts;
  #onEnded: (account: string) => void = () => {};
  readonly kept: KeptStates = {
    begin: async (id, accounts, concerns, note) => {
      await takeState(this.#parts, { id, accounts, concerns, note, isExact: true });
    },
    note: async (id, note) => {
      const { order, directory } = this.#parts;
      await order.run(reachOfSnapshot(id), () => directory.write(noteKept, [id.kind, id.id, note]));
    },
    list: async (kind) => {
      const { rows } = await this.#parts.readers.run(listKept, [kind]);
      const all = rows as { readonly id: string; readonly at: string; readonly note: string | null }[];
      return all.map(({ id, at, note }) => ({ kind, id, at: timeOf(at), ...(note !== null && { note }) }));
    },
    drop: (id) => this.#drop(id),
    nextNumber: async () => Number((await this.#parts.readers.run(nextUndo, [])).rows[0].number),
  };

  constructor(parts: PostgresSnapshotsParts) {
    this.#parts = parts;
  }

  take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary> {
    return takeState(this.#parts, { id: named(name), accounts, concerns, isExact: false });
  }

  exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<ExchangeResult | undefined> {
    const { order, services, transactions, onDropped } = this.#parts;
    const writes = order.enter(movesOf(services, exchange));
    const make = (run: RunStatement) => exchangeTables(run, services, exchange, kept);
    const run = async () => {
      await writes.entered;
      const exchanged = await transactions.run({ sees: 'present', make });
      onDropped();
      return exchanged;
    };
    const from = exchange.restored?.snapshot;
    const alone = from !== undefined && order.run(reachOfSnapshot(typeof from === 'string' ? named(from) : from), run);
    return (alone || run()).finally(writes.leave);
  }

  async list(): Promise<readonly SnapshotSummary[]> {
    const { rows } = await this.#parts.readers.run(listSnapshots, []);
    const all = rows as { readonly name: string; readonly at: string; readonly accounts: string }[];
    return all
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, at, accounts }) => summaryOf(name, at, JSON.parse(accounts)));
  }

  delete(name: string): Promise<boolean> {
    return this.#drop(named(name));
  }

  #drop(id: SnapshotId): Promise<boolean> {
    const { order, transactions, onDropped } = this.#parts;
    return order.run(reachOfSnapshot(id), async () => {
      const isFound = await transactions.run({ sees: 'present', make: (run) => forgetSnapshot(run, id) });
      onDropped();
      return isFound;
    });
  }

  branch({ account, from, key, expires }: BranchRecord): Promise<number | undefined> {
    const { services, transactions } = this.#parts;
    services.open(account, services.traitsOf(from.account));
    const make = async (run: RunStatement) => {
      const source = (await readState(run, from))?.find(({ name }) => name === from.account);
      if (!source) return undefined;
      const { copies } = await copyRows(run, [{ ...source, name: account }]);
      await writeAccounts(run, copies);
      await run(noteBranch, [account, from.account, from.snapshot ?? null, key, expires, Date.now()]);
      return source.tables.length;
    };
    return transactions.run({ sees: 'one-moment', make });
  }

  freeze(state: AccountState): Promise<StoreView | undefined> {
    return this.#parts.freeze(state);
  }

  async branches(): Promise<readonly BranchRecord[]> {
    const { rows } = await this.#parts.readers.run(listBranches, [Date.now()]);
    const all = rows as { account: string; source: string; snapshot: string | null; key: string; expires: string }[];
    return all
      .sort((a, b) => (a.account < b.account ? -1 : 1))
      .map(({ account, source, snapshot, key, expires }) => {
        const from = { account: source, ...(snapshot !== null && { snapshot }) };
        return { account, from, key, expires: Number(expires) };
      });
  }

  async endBranch(account: string): Promise<boolean> {
    const { order, directory, services, onDropped } = this.#parts;
    const [ended] = await order.run({ account }, () => directory.write(endBranch, [account]));
    services.open(account, storageTraits);
    onDropped();
    return ended !== undefined;
  }

  onEndedElsewhere(listener: (account: string) => void): void {
    this.#onEnded = listener;
  }

  /** Notifies the listener of a branch that a server has ended. */
  noteEnded(account: string): void {
    this.#onEnded(account);
  }
}

/** Returns the accounts of a state; undefined if it is missing. */
function readState(run: RunStatement, { account, snapshot }: AccountState) {
  if (snapshot === emptyState) return [{ name: account, settings: [], tables: [] }];
  return snapshot === undefined ? readAccounts(run, [account]) : readSnapshot(run, named(snapshot));
}

interface StateRequest {
  readonly id: SnapshotId;
  readonly accounts: readonly string[];
  /** Absent: all tables. */
  readonly concerns: TableSelection | undefined;
  /** Whether it fails if its connection is lost after its moment, instead of retrying at a later moment. */
  readonly isExact: boolean;
  readonly note?: string | undefined;
}

/** Copies the rows of accounts, with all earlier writes and no later ones. */
function takeState(
  { order, transactions, onDropped }: Pick<PostgresSnapshotsParts, 'order' | 'transactions' | 'onDropped'>,
  { id, accounts, concerns, isExact, note }: StateRequest,
): Promise<SnapshotSummary> {
  const writes = order.enter(accounts.map((account) => ({ account, concerns })));
  let isSeen = false;
  const make = async (run: RunStatement) => {
    if (isSeen && isExact) throw notDone();
    const found = await readAccounts(run, accounts);
    // The transaction keeps seeing this moment. A retry would not, because later writes may be done by then.
    isSeen = true;
    writes.leave();
    const concerned = found.map((account) => withTables(account, (name) => concerns?.(account.name, name) ?? true));
    const { copies, last } = await copyRows(run, concerned);
    return putSnapshot(run, id, { accounts: copies, last, note });
  };
  const take = async () => {
    await writes.entered;
    const taken = await transactions.run({ sees: 'one-moment', make });
    onDropped();
    return taken;
  };
  // Calls for one snapshot keep their order.
  return order.run(reachOfSnapshot(id), take).finally(writes.leave);
}

/** The effect of an exchange on an account. */
interface Move {
  readonly account: string;
  readonly how: 'restored' | 'reset' | 'emptied';
  /** The tables, by account and name. Absent: all, and the settings. */
  readonly concerns: TableSelection | undefined;
}

/** Implements `SnapshotStore.exchange`, in a transaction that sees concurrent commits. */
async function exchangeTables(
  run: RunStatement,
  services: AccountServices,
  exchange: Exchange,
  kept: (KeptId & { readonly note: string }) | undefined,
): Promise<ExchangeResult | undefined> {
  const given = await findGiven(run, services, exchange.restored);
  if (!given) return undefined;
  const from = exchange.restored?.snapshot;
  // A kept state is dropped after its restore, so its rows move. The rows of a snapshot are copied, while requests continue.
  const tables = typeof from === 'object' ? given : (await copyRows(run, given)).copies;
  const moves = movesOf(services, exchange);
  const before = await takeAway(run, moves);
  await writeAccounts(run, tables);
  // No copies: the rows of a removed table stay as long as a snapshot has its id.
  if (kept) await putSnapshot(run, kept, { accounts: before, note: kept.note });
  if (typeof from === 'object') {
    await forgetSnapshot(run, from);
    const ids = numberArray(tables.flatMap((account) => account.tables.map(({ id }) => id)));
    await run('DELETE FROM dropped WHERE table_id = ANY ($1::bigint[])', [ids]);
  }
  return { removed: countTables(before), restored: countTables(tables) };
}

/** Returns the accounts to restore, with the rows of the snapshot; undefined if it, or one of its accounts, is missing. */
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

/** Returns the effects of an exchange on its accounts. */
function movesOf(services: AccountServices, { restored, reset = [], emptied = [] }: Exchange): readonly Move[] {
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

/** Removes or empties tables, and returns them. Until the end of the transaction others can neither create nor drop tables. */
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

/** Reads the accounts of a snapshot; undefined if it is missing. `lock` prevents its deletion and replacement during the transaction. */
async function readSnapshot(
  run: RunStatement,
  { kind, id }: SnapshotId,
  lock?: 'SHARE' | 'UPDATE',
): Promise<readonly FrozenAccount[] | undefined> {
  const text = `SELECT accounts FROM snapshots WHERE kind = $1 AND name = $2${lock ? ` FOR ${lock}` : ''}`;
  const [found] = await run<{ readonly accounts: string }>(text, [kind, id]);
  return found && (JSON.parse(found.accounts) as readonly FrozenAccount[]);
}

/** The content of a snapshot to write. */
interface SnapshotContent {
  readonly accounts: readonly FrozenAccount[];
  /** The last stamp of its entities, in ticks. Absent: the snapshot takes over the rows of tables. */
  readonly last?: string;
  readonly note?: string | undefined;
}

/** Writes a snapshot, and replaces one of the same name. */
async function putSnapshot(
  run: RunStatement,
  { kind, id }: SnapshotId,
  { accounts, last = '0', note }: SnapshotContent,
): Promise<SnapshotSummary> {
  const [now] = await run<{ readonly at: string }>(`SELECT greatest(${clock}, $1::bigint + 1) AS at`, [last]);
  const at = now?.at ?? '';
  await forgetSnapshot(run, { kind, id });
  const values = [kind, id, at, JSON.stringify(accounts), idsOf(accounts), note ?? null];
  await run(
    `INSERT INTO snapshots (kind, name, at, accounts, ids, note)
     VALUES ($1, $2, $3, $4, $5::bigint[], $6)`,
    values,
  );
  return summaryOf(id, at, accounts);
}

function idsOf(accounts: readonly FrozenAccount[]): string {
  return numberArray(accounts.flatMap(({ tables }) => tables.map(({ id }) => id)));
}

/** Deletes a snapshot, and leaves its rows to the sweeper, except those of tables. Returns whether it existed. */
async function forgetSnapshot(run: RunStatement, { kind, id }: SnapshotId): Promise<boolean> {
  const text = 'DELETE FROM snapshots WHERE kind = $1 AND name = $2 RETURNING ids::text';
  const gone = await run<{ readonly ids: string }>(text, [kind, id]);
  for (const { ids } of gone) {
    await run(
      `INSERT INTO dropped (table_id, at) SELECT q.id, ${clock} FROM unnest($1::bigint[]) q(id)
         WHERE NOT EXISTS (SELECT FROM tables WHERE id = q.id) ON CONFLICT (table_id) DO NOTHING`,
      [ids],
    );
  }
  return gone.length > 0;
}

/** Returns the summary of a snapshot. `at` is in ticks. */
function summaryOf(name: string, at: string, accounts: readonly FrozenAccount[]): SnapshotSummary {
  return { name, at: timeOf(at), accounts: accounts.map((one) => ({ name: one.name, tables: one.tables.length })) };
}
