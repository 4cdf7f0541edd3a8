import type { Accounts } from '../auth/accounts.js';
import { parseFilter } from '../query/parse-filter.js';
import { planQuery } from '../query/plan-query.js';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import { Branches } from './branches.js';
import type {
  BranchSummary,
  BranchWish,
  Difference,
  DiffReport,
  DiffWish,
  ListedTable,
  MadeBranch,
  ResetReport,
  ResetTarget,
  RestoreReport,
  SnapshotSummary,
} from './contract.js';
import { countEntities, deletedAtOnce, deleteEntities } from './delete-entities.js';
import { diffStates } from './diff.js';
import { checkTarget, concernsOf, resetToEmpty, toEmpty } from './reset.js';
import { StateFault } from './state-fault.js';

/** The snapshot that a reset goes back to by default. */
export const seedName = 'seed';

/** Number of differences in a list, usually and at most. Ours: a list is kept in memory. */
const [differencesUsual, differencesMax] = [1000, 10_000];

/** How much text of entities a list has at most, apart from its first difference. Unit: characters. Ours: as above. */
const differenceCharactersMax = 16 * 1024 * 1024;

/** Names of snapshots: they fit in paths and file names. Ours. */
const snapshotName = /^[A-Za-z0-9][\w.-]{0,62}$/;

/** Changes the state of a server's data as a whole. The control endpoints and the library call it. */
export class State {
  readonly #store: Store;
  readonly #accounts: Accounts;
  readonly #branches: Branches;
  readonly #report: (error: unknown) => void;

  /** `report` gets the errors of background work. */
  constructor(store: Store, accounts: Accounts, report: (error: unknown) => void) {
    this.#store = store;
    this.#accounts = accounts;
    this.#report = report;
    this.#branches = new Branches({ snapshots: () => this.#snapshots, accounts, report });
  }

  /** Goes on with what an earlier run has left. */
  async resume(): Promise<void> {
    if (this.#store.snapshots) await this.#branches.resume();
  }

  /** Ends background work. */
  stop(): void {
    this.#branches.stop();
  }

  /** Brings what `target` names back to a known state; without one, all accounts. Errors: StateFault. */
  async reset(target: ResetTarget = {}): Promise<ResetReport> {
    checkTarget(target);
    const accounts = this.#accountsOf(target.account);
    const to = target.to ?? (await this.#defaultState(target));
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
    if (this.#accounts.names.has(name)) {
      const hint = 'It is that of an account, which a branch or a diff would take for it. Choose another name.';
      throw new StateFault('invalid', `A snapshot cannot have the name '${name}'. ${hint}`);
    }
    const names = accounts ? accounts.flatMap((account) => this.#accountsOf(account)) : this.#accountsOf(undefined);
    return this.#snapshots.take(name, names);
  }

  /** Restores the accounts of a snapshot that are served, or one account. Others stay as they are. Errors: StateFault. */
  async restoreSnapshot(name: string, account?: string): Promise<RestoreReport> {
    const snapshot = await this.snapshot(name);
    const served = snapshot.accounts.map((one) => one.name).filter((one) => this.#accounts.names.has(one));
    const restored = account === undefined ? served : this.#accountsOf(account);
    return timed(async () => {
      const moves = restored.map((one) => ({ from: this.#sourceOf(snapshot, one), to: one }));
      const tables = await this.#snapshots.restore(name, moves);
      if (tables === undefined) throw snapshotGone(name);
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

  /** Makes a throw-away account that begins as a copy. Errors: StateFault. */
  async branch({ from, account, seconds }: BranchWish = {}): Promise<MadeBranch> {
    const [first = ''] = this.#accountsOf(undefined);
    const source = await this.#sourceOfBranch(from, account ?? first, account === undefined);
    const { branch, tables } = await this.#branches.create(source, seconds);
    return { ...summaryOf(branch), key: branch.key, tables };
  }

  /** Returns all branches, the first that ends first. */
  listBranches(): readonly BranchSummary[] {
    return this.#branches.list().map(summaryOf);
  }

  /** Removes a branch with everything in it. Errors: StateFault if it is missing. */
  async endBranch(account: string): Promise<void> {
    await this.#branches.end(account);
  }

  /** Returns the tables of an account, or of all but branches; with `isCounted`, how many entities each has. */
  async listTables(account: string | undefined, isCounted: boolean): Promise<readonly ListedTable[]> {
    const listed: ListedTable[] = [];
    for (const owner of this.#accountsOf(account)) {
      for (const { name } of await this.#store.listTables(owner)) {
        const entities = isCounted ? await countEntities(this.#store, owner, name) : undefined;
        listed.push({ account: owner, name, ...(entities !== undefined && { entities }) });
      }
    }
    return listed;
  }

  /** Deletes the entities of a table that a `$filter` finds, and returns their number. Errors: StateFault; TableError. */
  async deleteEntities(account: string | undefined, table: string, filter: string): Promise<number> {
    const [owner = ''] = this.#accountsOf(account);
    // A script whose variable is not set must not delete everything.
    if (filter.trim() === '') throw new StateFault('invalid', 'The filter is empty. To empty a table, use reset.');
    const plan = planQuery(parseFilter(filter), { rowsMax: deletedAtOnce });
    const deleted = await deleteEntities(this.#store, { account: owner, table }, plan);
    if (deleted === undefined) throw new StateFault('missing', `The account ${owner} has no table ${table}.`);
    return deleted;
  }

  /** Returns what differs between two states. Errors: StateFault. */
  async diff({ from, to, account, table, limit = differencesUsual }: DiffWish): Promise<DiffReport> {
    if (!(Number.isInteger(limit) && limit > 0 && limit <= differencesMax)) {
      throw new StateFault('invalid', `A list has 1 to ${differencesMax} differences, not ${limit}.`);
    }
    const [first = ''] = this.#accountsOf(undefined);
    const find = (name: string) => this.#sourceOfBranch(name, account ?? first, account === undefined);
    const before = await find(from);
    const after = to === undefined ? { account: before.account } : await find(to);
    const concerns = concernsOf(table === undefined ? {} : { table });
    const differences: Difference[] = [];
    const options = { concerns, report: this.#report };
    let total = 0;
    for await (const { difference, characters } of diffStates(this.#store, this.#snapshots, [before, after], options)) {
      total += characters;
      const isFull = differences.length > 0 && total > differenceCharactersMax;
      if (isFull || differences.length === limit) return { differences, more: true };
      differences.push(difference);
    }
    return { differences, more: false };
  }

  async #sourceOfBranch(from: string | undefined, account: string, isAny: boolean): Promise<BranchRecord['from']> {
    if (from !== undefined && this.#accounts.names.has(from)) return { account: from };
    const name = from ?? ((await this.#hasSnapshot(seedName)) ? seedName : undefined);
    if (name === undefined) return { account: this.#accountsOf(account)[0] ?? '' };
    const snapshot = await this.snapshot(name);
    const [only, another] = snapshot.accounts;
    const isClear = isAny && only !== undefined && another === undefined;
    return { account: isClear ? only.name : this.#sourceOf(snapshot, account), snapshot: name };
  }

  async #resetToSnapshot(name: string, accounts: readonly string[], target: ResetTarget) {
    const snapshot = await this.snapshot(name);
    const isThere = (account: string) => snapshot.accounts.some((one) => one.name === account);
    const concerns = concernsOf(target);
    const moves = accounts
      .filter((account) => target.account !== undefined || isThere(account))
      .map((account) => ({ from: this.#sourceOf(snapshot, account), to: account, ...(concerns && { concerns }) }));
    const tables = await this.#snapshots.restore(name, moves);
    if (tables === undefined) throw snapshotGone(name);
    // The state of the snapshot is one without the accounts that it does not have.
    const others = accounts.filter((account) => target.account === undefined && !isThere(account));
    const emptied = concerns ? { tables: 0 } : await resetToEmpty(this.#store, others, {});
    return { tables: tables + emptied.tables };
  }

  /** Returns the state that a target goes back to by itself: that of its branch, the seed, or nothing. */
  async #defaultState({ account, partition }: ResetTarget): Promise<string> {
    if (partition !== undefined) return toEmpty;
    const own = account === undefined ? undefined : this.#branches.find(account)?.from.snapshot;
    if (own !== undefined && (await this.#hasSnapshot(own))) return own;
    return (await this.#hasSnapshot(seedName)) ? seedName : toEmpty;
  }

  async #hasSnapshot(wanted: string): Promise<boolean> {
    return (await this.#store.snapshots?.list())?.some(({ name }) => name === wanted) ?? false;
  }

  /** Returns the account of a snapshot that an account is restored from. Errors: StateFault if there is none. */
  #sourceOf({ name, accounts }: SnapshotSummary, account: string): string {
    const names = accounts.map((one) => one.name);
    const parent = this.#branches.find(account)?.from.account ?? account;
    for (const one of [account, parent]) if (names.includes(one)) return one;
    const listed = names.join(', ');
    throw new StateFault('missing', `The snapshot ${name} does not have the account ${account}, but ${listed}.`);
  }

  /** What keeps snapshots. Errors: StateFault if the engine cannot. */
  get #snapshots(): SnapshotStore {
    const { snapshots } = this.#store;
    if (!snapshots) throw new StateFault('not-supported', 'Data in PostgreSQL has no snapshots yet, only reset.');
    return snapshots;
  }

  /** Returns the accounts that are meant. Errors: StateFault for an unknown one. */
  #accountsOf(account: string | undefined): readonly string[] {
    // What is meant for all must not reach into the worlds of others.
    const names = [...this.#accounts.names].filter((name) => !this.#branches.find(name));
    if (account === undefined) return names;
    if (this.#accounts.names.has(account)) return [account];
    throw new StateFault('missing', `There is no account ${account}. The accounts are: ${names.join(', ')}.`);
  }
}

function summaryOf({ account, from, expires }: BranchRecord): BranchSummary {
  return { account, from, expires: new Date(expires).toISOString() };
}

function noSnapshot(name: string, all: readonly SnapshotSummary[]): StateFault {
  const hint = all.length === 0 ? '' : ` The snapshots are: ${all.map((one) => one.name).join(', ')}.`;
  return new StateFault('missing', `There is no snapshot ${name}.${hint}`);
}

/** The fault of a snapshot that was there, with the accounts that were asked for, when the request began. */
function snapshotGone(name: string): StateFault {
  return new StateFault('missing', `The snapshot ${name} was deleted or replaced meanwhile.`);
}

/** Adds how long some work took. */
async function timed<T extends object>(work: () => Promise<T>): Promise<T & { readonly ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { ...result, ms: performance.now() - startedAt };
}
