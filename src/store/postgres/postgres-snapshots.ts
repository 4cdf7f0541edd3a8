import { storageTraits } from '../../protocol/service-traits.js';
import { type AccountServices, checkService } from '../account-services.js';
import type { BranchRecord, RestoredAccount, SnapshotStore, SnapshotSummary } from '../snapshots.js';
import type { TableSelection } from '../stored-parts.js';
import { numberArray } from './array-parameters.js';
import { endBranch, listBranches, listSnapshots } from './branch-statements.js';
import type { DirectoryWriter } from './directory-writer.js';
import {
  copyRows,
  dropRows,
  type FrozenAccount,
  readAccounts,
  removeTables,
  withTables,
  writeAccounts,
} from './frozen-account.js';
import type { OrderOfArrival } from './order-of-arrival.js';
import type { Readers } from './readers.js';
import { timeOf } from './stamps.js';
import { clock } from './statements.js';
import type { RunStatement, Transactions } from './transactions.js';

/** What snapshots need of their store. */
export interface PostgresSnapshotsParts {
  readonly readers: Readers;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  readonly transactions: Transactions;
  readonly services: AccountServices;
  /** Is called when there are rows to sweep. */
  readonly onDropped: () => void;
}

/** The row of a snapshot. `accounts` is JSON. */
interface SnapshotRow {
  readonly accounts: string;
}

/**
 * Keeps snapshots and branches as copies in the database. Each is made in one transaction, which sees one moment and holds
 * up nothing. No request reaches the rows of a snapshot, because no table has their ids.
 */
export class PostgresSnapshots implements SnapshotStore {
  readonly #parts: PostgresSnapshotsParts;
  #onEnded: (account: string) => void = () => {};

  constructor(parts: PostgresSnapshotsParts) {
    this.#parts = parts;
  }

  take(name: string, accounts: readonly string[], concerns: TableSelection = () => true): Promise<SnapshotSummary> {
    // Writes that were asked for before are in the snapshot, and those that are asked for later are not.
    const writes = this.#parts.order.enter(accounts);
    const make = async (run: RunStatement) => {
      const found = await readAccounts(run, accounts);
      // The transaction goes on seeing this moment.
      writes.leave();
      const { copies, last } = await copyRows(
        run,
        found.map((account) => withTables(account, (name) => concerns(account.name, name))),
      );
      const [now] = await run<{ readonly at: string }>(`SELECT greatest(${clock}, $1::bigint + 1) AS at`, [last]);
      const at = now?.at ?? '';
      await forget(run, name);
      const ids = numberArray(copies.flatMap(({ tables }) => tables.map(({ id }) => id)));
      const values = [name, at, JSON.stringify(copies), ids];
      await run('INSERT INTO snapshots (name, at, accounts, ids) VALUES ($1, $2, $3, $4::bigint[])', values);
      return summaryOf(name, at, copies);
    };
    return this.#alone(name, async () => {
      await writes.entered;
      const taken = await this.#parts.transactions.run({ sees: 'one-moment', make });
      this.#parts.onDropped();
      return taken;
    }).finally(writes.leave);
  }

  restore(name: string, accounts: readonly RestoredAccount[]): Promise<number | undefined> {
    const { order, services } = this.#parts;
    const writes = order.enter(accounts.map(({ to }) => to));
    const make = async (run: RunStatement) => {
      // It can be neither deleted nor replaced until the end of the transaction.
      const [found] = await run<SnapshotRow>('SELECT accounts FROM snapshots WHERE name = $1 FOR SHARE', [name]);
      const kept = accountsIn(found);
      const restored = accounts.flatMap(({ from, to, concerns }) => {
        const account = kept.find((one) => one.name === from);
        if (!account) return [];
        const given = concerns ? { ...withTables(account, (name) => concerns(to, name)), settings: [] } : account;
        const service = given.record?.service ?? (given.tables.length > 0 ? storageTraits.service : undefined);
        checkService(to, service, services.traitsOf(to).service);
        return { ...given, name: to };
      });
      if (!found || restored.length < accounts.length) return undefined;
      const { copies } = await copyRows(run, restored);
      await removeTables(
        run,
        accounts.map(({ to, concerns }) => ({ account: to, concerns })),
      );
      await writeAccounts(run, copies);
      return copies.reduce((sum, { tables }) => sum + tables.length, 0);
    };
    return this.#alone(name, async () => {
      await writes.entered;
      const tables = await this.#parts.transactions.run({ sees: 'present', make });
      this.#parts.onDropped();
      return tables;
    }).finally(writes.leave);
  }

  async list(): Promise<readonly SnapshotSummary[]> {
    const { rows } = await this.#parts.readers.run(listSnapshots, []);
    const all = rows as (SnapshotRow & { name: string; at: string })[];
    return all
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, at, ...row }) => summaryOf(name, at, accountsIn(row)));
  }

  delete(name: string): Promise<boolean> {
    return this.#alone(name, async () => {
      const make = (run: RunStatement) => forget(run, name);
      const isFound = await this.#parts.transactions.run({ sees: 'present', make });
      this.#parts.onDropped();
      return isFound;
    });
  }

  branch({ account, from, key, expires }: BranchRecord): Promise<number | undefined> {
    const { services, transactions } = this.#parts;
    services.open(account, services.traitsOf(from.account));
    const make = async (run: RunStatement) => {
      const found =
        from.snapshot === undefined ? await readAccounts(run, [from.account]) : await kept(run, from.snapshot);
      const source = found.find(({ name }) => name === from.account);
      if (!source) return undefined;
      const { copies } = await copyRows(run, [{ ...source, name: account }]);
      await writeAccounts(run, copies);
      const values = [account, from.account, from.snapshot ?? null, key, expires];
      await run('INSERT INTO branches (account, source, snapshot, key, expires) VALUES ($1, $2, $3, $4, $5)', values);
      return source.tables.length;
    };
    return transactions.run({ sees: 'one-moment', make });
  }

  async branches(): Promise<readonly BranchRecord[]> {
    const { rows } = await this.#parts.readers.run(listBranches, []);
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

  /** Tells that an account was a branch, and that a server has ended it. */
  noteEnded(account: string): void {
    this.#onEnded(account);
  }

  /** Runs what is asked for of one snapshot in the order in which it is asked for. */
  async #alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    // No account and no table has a space in its name.
    const place = this.#parts.order.enter([`snapshot ${name}`]);
    try {
      await place.entered;
      return await work();
    } finally {
      place.leave();
    }
  }
}

/** Deletes a snapshot, and leaves its rows to the sweeper. Returns whether there was one. */
async function forget(run: RunStatement, name: string): Promise<boolean> {
  const gone = await run<{ readonly ids: string }>('DELETE FROM snapshots WHERE name = $1 RETURNING ids::text', [name]);
  for (const { ids } of gone) await dropRows(run, ids);
  return gone.length > 0;
}

/** Returns the accounts of a snapshot; none if it is missing. */
async function kept(run: RunStatement, name: string): Promise<readonly FrozenAccount[]> {
  const [found] = await run<SnapshotRow>('SELECT accounts FROM snapshots WHERE name = $1', [name]);
  return accountsIn(found);
}

function accountsIn(row: SnapshotRow | undefined): readonly FrozenAccount[] {
  return row ? (JSON.parse(row.accounts) as readonly FrozenAccount[]) : [];
}

function summaryOf(name: string, at: string, accounts: readonly FrozenAccount[]): SnapshotSummary {
  return { name, at: timeOf(at), accounts: accounts.map((one) => ({ name: one.name, tables: one.tables.length })) };
}
