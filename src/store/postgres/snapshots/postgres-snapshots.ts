import { storageTraits } from '../../../protocol/service-traits.js';
import type { AccountServices } from '../../account-services.js';
import type { CommitListeners } from '../../commit-listeners.js';
import type { TableSelection } from '../../copy/stored-parts.js';
import type { BranchRecord, RestoredAccount, ReversingStore, SnapshotStore, SnapshotSummary } from '../../snapshots.js';
import { notDone } from '../connection/failures.js';
import type { Readers } from '../read/readers.js';
import type { DirectoryWriter } from '../write/directory-writer.js';
import { type OrderOfArrival, reachOfSnapshot } from '../write/order-of-arrival.js';
import type { RunStatement, Transactions } from '../write/transactions.js';
import { endBranch, listBranches, listSnapshots } from './branch-statements.js';
import {
  checkFrozenService,
  copyRows,
  readAccounts,
  removeTables,
  withTables,
  writeAccounts,
} from './frozen-account.js';
import { PostgresReversals } from './postgres-reversals.js';
import { forgetSnapshot, putSnapshot, readSnapshot, summaryOf } from './snapshot-rows.js';

/** What snapshots need of their store. */
export interface PostgresSnapshotsParts {
  readonly readers: Readers;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  readonly transactions: Transactions;
  readonly services: AccountServices;
  readonly listeners: CommitListeners;
  /** Is called when there are rows to sweep. */
  readonly onDropped: () => void;
}

/**
 * Keeps snapshots and branches as copies in the database. Each is made in one transaction, which sees one moment and holds
 * up nothing. No request reaches the rows of a snapshot, because no table has their ids.
 */
export class PostgresSnapshots implements SnapshotStore {
  readonly #parts: PostgresSnapshotsParts;
  readonly reversing: ReversingStore;
  #onEnded: (account: string) => void = () => {};

  constructor(parts: PostgresSnapshotsParts) {
    this.#parts = parts;
    this.reversing = new PostgresReversals(parts);
  }

  take(
    name: string,
    accounts: readonly string[],
    concerns: TableSelection = () => true,
    moment?: 'exact',
  ): Promise<SnapshotSummary> {
    // Writes that were asked for before are in the snapshot, and those that are asked for later are not.
    const writes = this.#parts.order.enter(accounts);
    let isSeen = false;
    const make = async (run: RunStatement) => {
      if (isSeen && moment === 'exact') throw notDone();
      const found = await readAccounts(run, accounts);
      // The transaction goes on seeing this moment. Another one would not: what was asked for later may be done by then.
      isSeen = true;
      writes.leave();
      const { copies, last } = await copyRows(
        run,
        found.map((account) => withTables(account, (name) => concerns(account.name, name))),
      );
      return putSnapshot(run, name, copies, last);
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
      const found = await readSnapshot(run, name, 'locked');
      const restored = accounts.flatMap(({ from, to, concerns }) => {
        const account = found?.find((one) => one.name === from);
        if (!account) return [];
        const given = concerns ? { ...withTables(account, (name) => concerns(to, name)), settings: [] } : account;
        checkFrozenService(services, given, to);
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
    const all = rows as { readonly name: string; readonly at: string; readonly accounts: string }[];
    return all
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, at, accounts }) => summaryOf(name, at, JSON.parse(accounts)));
  }

  delete(name: string): Promise<boolean> {
    return this.#alone(name, async () => {
      const make = (run: RunStatement) => forgetSnapshot(run, name);
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
        from.snapshot === undefined ? await readAccounts(run, [from.account]) : await readSnapshot(run, from.snapshot);
      const source = found?.find(({ name }) => name === from.account);
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
  #alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.order.run(reachOfSnapshot(name), work);
  }
}
