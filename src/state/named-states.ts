import type { Accounts } from '../auth/accounts.js';
import { type BranchRecord, emptyState, type SnapshotStore, type SnapshotSummary } from '../store/snapshots.js';
import type { Store, TableStore } from '../store/store.js';
import type { TableSelection } from '../store/stored-parts.js';
import type { Branches } from './branches.js';
import type { ResetTarget } from './contract.js';
import { StateFault } from './state-fault.js';

/** The name of the state without any data. */
export const toEmpty = emptyState;

/** The snapshot that a reset restores by default. */
export const seedName = 'seed';

/** Resolves names to accounts and snapshots. */
export class NamedStates {
  readonly #store: Store;
  readonly #accounts: Accounts;
  readonly #branches: Branches;

  constructor(store: Store, accounts: Accounts, branches: Branches) {
    this.#store = store;
    this.#accounts = accounts;
    this.#branches = branches;
  }

  /** The snapshots of the store. */
  get snapshots(): SnapshotStore {
    return this.#store.snapshots;
  }

  /** Returns the account with this name, or all accounts except branches. Errors: StateFault for an unknown one. */
  accountsOf(account: string | undefined): readonly string[] {
    // "All accounts" excludes branches: they belong to other tests.
    const names = [...this.#accounts.names].filter((name) => !this.#branches.find(name));
    if (account === undefined) return names;
    if (this.#accounts.names.has(account)) return [account];
    throw new StateFault('missing', `There is no account ${account}. The accounts are: ${names.join(', ')}.`);
  }

  /** Returns this account, or the first one. Errors: StateFault for an unknown one. */
  accountOf(account: string | undefined): string {
    return this.accountsOf(account)[0] ?? '';
  }

  /** Returns a snapshot. Errors: StateFault if it is missing. */
  async snapshot(name: string): Promise<SnapshotSummary> {
    const all = await this.snapshots.list();
    const snapshot = all.find((one) => one.name === name);
    if (!snapshot) throw noSnapshot(name, all);
    return snapshot;
  }

  /**
   * Returns the state that `from` names: a snapshot, or an account as it is now. Defaults to the snapshot `seed` if it exists,
   * else to the account. `account` selects one account of a snapshot. Errors: StateFault if the name is unknown or ambiguous.
   */
  async stateOf(from: string | undefined, account: string | undefined): Promise<BranchRecord['from']> {
    if (from !== undefined && this.#accounts.names.has(from)) {
      // Ambiguous if the account was added after the snapshot.
      if (!(await this.#hasSnapshot(from))) return { account: from };
      const hint = 'Delete the snapshot, or take it again under another name.';
      throw new StateFault('invalid', `Both an account and a snapshot have the name ${from}. ${hint}`);
    }
    const name = from ?? ((await this.#hasSnapshot(seedName)) ? seedName : undefined);
    if (name === undefined) return { account: this.accountOf(account) };
    const snapshot = await this.snapshot(name);
    const [only, another] = snapshot.accounts;
    const isClear = account === undefined && only !== undefined && another === undefined;
    const chosen = isClear ? only.name : this.sourceOf(snapshot, account ?? this.accountOf(undefined));
    return { account: chosen, snapshot: name };
  }

  /**
   * Returns the account of a snapshot to restore an account from: the account itself, or for a branch its nearest ancestor.
   * Errors: StateFault if there is none.
   */
  sourceOf({ name, accounts }: SnapshotSummary, account: string): string {
    const names = accounts.map((one) => one.name);
    let source: string | undefined = account;
    while (source !== undefined && !names.includes(source)) source = this.#branches.find(source)?.from.account;
    if (source !== undefined) return source;
    const listed = names.join(', ');
    throw new StateFault('missing', `The snapshot ${name} does not have the account ${account}, but ${listed}.`);
  }

  /** Returns the default state of a reset: the snapshot of the branch, the seed, or `empty`. */
  async defaultOf({ account, partition }: ResetTarget): Promise<string> {
    if (partition !== undefined) return toEmpty;
    const own = account === undefined ? undefined : this.#branches.find(account)?.from.snapshot;
    if (own === toEmpty || (own !== undefined && (await this.#hasSnapshot(own)))) return own;
    return (await this.#hasSnapshot(seedName)) ? seedName : toEmpty;
  }

  async #hasSnapshot(wanted: string): Promise<boolean> {
    return (await this.#store.snapshots.list()).some(({ name }) => name === wanted);
  }
}

function noSnapshot(name: string, all: readonly SnapshotSummary[]): StateFault {
  const hint = all.length === 0 ? '' : ` The snapshots are: ${all.map((one) => one.name).join(', ')}.`;
  return new StateFault('missing', `There is no snapshot ${name}.${hint}`);
}

/** Names one table, a prefix, or a list of tables by account. `names` has the keys by which the store compares names. */
export interface NamedTables {
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  readonly names?: readonly (readonly [account: string, tables: readonly string[]])[] | undefined;
}

/** Returns the selection of tables that a target names; undefined for whole accounts. */
export function concernsOf(
  { table, tablePrefix, names }: NamedTables,
  store: Pick<TableStore, 'nameKey'>,
): TableSelection | undefined {
  const keyOf = (account: string, name: string) => store.nameKey(account, name);
  if (names !== undefined) {
    const keys = new Map(names.map(([account, tables]) => [account, new Set(tables)]));
    return (account, name) => keys.get(account)?.has(keyOf(account, name)) === true;
  }
  if (table !== undefined) return (account, name) => keyOf(account, name) === keyOf(account, table);
  if (tablePrefix === undefined) return undefined;
  return (account, name) => keyOf(account, name).startsWith(keyOf(account, tablePrefix));
}
