import type { Accounts } from '../auth/accounts.js';
import type { SnapshotStore } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { ResetReport, ResetTarget, RestoreReport, SnapshotSummary } from './contract.js';
import { checkTarget, concernsOf, resetToEmpty, toEmpty } from './reset.js';
import { StateFault } from './state-fault.js';

/** The snapshot that a reset goes back to by default. */
export const seedName = 'seed';

/** Names of snapshots: they fit in paths and file names. Ours. */
const snapshotName = /^[A-Za-z0-9][\w.-]{0,62}$/;

/** Changes the state of a server's data as a whole. The control endpoints and the library call it. */
export class State {
  readonly #store: Store;
  readonly #accounts: Accounts;

  constructor(store: Store, accounts: Accounts) {
    this.#store = store;
    this.#accounts = accounts;
  }

  /** Brings what `target` names back to a known state; without one, all accounts. Errors: StateFault. */
  async reset(target: ResetTarget = {}): Promise<ResetReport> {
    checkTarget(target);
    const accounts = this.#accountsOf(target.account);
    const to = target.to ?? (target.partition === undefined && (await this.#hasSeed()) ? seedName : toEmpty);
    return timed(async () => {
      const report =
        to === toEmpty
          ? await resetToEmpty(this.#store, accounts, target)
          : await this.#resetToSnapshot(to, accounts, target);
      return { to, ...report };
    });
  }

  /** Takes a snapshot of accounts; without them, of all. Replaces the one of the same name. Errors: StateFault. */
  async takeSnapshot(name: string, accounts?: readonly string[]): Promise<SnapshotSummary> {
    if (!snapshotName.test(name) || name === toEmpty) {
      const rule = 'Use up to 63 letters, digits, dots, dashes and underscores, beginning with a letter or a digit';
      throw new StateFault('invalid', `A snapshot cannot have the name '${name}'. ${rule}, and not '${toEmpty}'.`);
    }
    const names = accounts ? accounts.flatMap((account) => this.#accountsOf(account)) : this.#accountsOf(undefined);
    return this.#snapshots.take(name, names);
  }

  /** Restores the accounts of a snapshot, or one of them. Other accounts stay as they are. Errors: StateFault. */
  async restoreSnapshot(name: string, account?: string): Promise<RestoreReport> {
    const snapshot = await this.snapshot(name);
    const restored = account === undefined ? snapshot.accounts.map((one) => one.name) : this.#accountsOf(account);
    return timed(async () => {
      const moves = restored.map((one) => ({ from: sourceOf(snapshot, one), to: one }));
      const tables = await this.#snapshots.restore(name, moves);
      if (tables === undefined) throw noSnapshot(name, []);
      return { tables };
    });
  }

  /** Returns a snapshot. Errors: StateFault if it is missing. */
  async snapshot(name: string): Promise<SnapshotSummary> {
    const all = await this.#snapshots.list();
    const found = all.find((one) => one.name === name);
    if (!found) throw noSnapshot(name, all);
    return found;
  }

  /** Returns all snapshots by name. */
  async listSnapshots(): Promise<readonly SnapshotSummary[]> {
    return this.#snapshots.list();
  }

  /** Deletes a snapshot. Errors: StateFault if it is missing. */
  async deleteSnapshot(name: string): Promise<void> {
    if (!(await this.#snapshots.delete(name))) throw noSnapshot(name, await this.#snapshots.list());
  }

  async #resetToSnapshot(name: string, accounts: readonly string[], target: ResetTarget) {
    const snapshot = await this.snapshot(name);
    const isThere = (account: string) => snapshot.accounts.some((one) => one.name === account);
    const concerns = concernsOf(target);
    const moves = accounts
      .filter((account) => target.account !== undefined || isThere(account))
      .map((account) => ({ from: sourceOf(snapshot, account), to: account, ...(concerns && { concerns }) }));
    const tables = await this.#snapshots.restore(name, moves);
    if (tables === undefined) throw noSnapshot(name, []);
    // The state of the snapshot is one without the accounts that it does not have.
    const others = accounts.filter((account) => target.account === undefined && !isThere(account));
    const emptied = concerns ? { tables: 0 } : await resetToEmpty(this.#store, others, {});
    return { tables: tables + emptied.tables };
  }

  async #hasSeed(): Promise<boolean> {
    const { snapshots } = this.#store;
    return (await snapshots?.list())?.some(({ name }) => name === seedName) ?? false;
  }

  /** What keeps snapshots. Errors: StateFault if the engine cannot. */
  get #snapshots(): SnapshotStore {
    const { snapshots } = this.#store;
    if (!snapshots) throw new StateFault('not-supported', 'Data in PostgreSQL has no snapshots yet, only reset.');
    return snapshots;
  }

  /** Returns the accounts that are meant. Errors: StateFault for an unknown one. */
  #accountsOf(account: string | undefined): readonly string[] {
    const names = [...this.#accounts.names];
    if (account === undefined) return names;
    if (this.#accounts.names.has(account)) return [account];
    throw new StateFault('missing', `There is no account ${account}. The accounts are: ${names.join(', ')}.`);
  }
}

/** Returns the account of a snapshot that an account is restored from. Errors: StateFault if there is none. */
function sourceOf({ name, accounts }: SnapshotSummary, account: string): string {
  const found = accounts.find((one) => one.name === account);
  if (found) return found.name;
  const names = accounts.map((one) => one.name).join(', ');
  throw new StateFault('missing', `The snapshot ${name} does not have the account ${account}, but ${names}.`);
}

function noSnapshot(name: string, all: readonly SnapshotSummary[]): StateFault {
  const hint = all.length === 0 ? '' : ` The snapshots are: ${all.map((one) => one.name).join(', ')}.`;
  return new StateFault('missing', `There is no snapshot ${name}.${hint}`);
}

/** Adds how long some work took. */
async function timed<T extends object>(work: () => Promise<T>): Promise<T & { readonly ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { ...result, ms: performance.now() - startedAt };
}
