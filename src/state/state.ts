import type { Accounts } from '../auth/accounts.js';
import type { Account } from '../protocol/access/accounts.js';
import { parseFilter } from '../query/filter/parse-filter.js';
import { planQuery } from '../query/plan/plan-query.js';
import type { BranchRecord } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import { Branches } from './branches.js';
import type {
  BranchSummary,
  BranchWish,
  DeletionReport,
  DiffReport,
  DiffWish,
  ListedTable,
  MadeBranch,
  ResetReport,
  ResetTarget,
  RestoreReport,
  SnapshotSummary,
  UndoReport,
} from './contract.js';
import { countEntities, deletedAtOnce, deleteEntities } from './delete-entities.js';
import { checkLimit, diffStates, listDifferences } from './diff.js';
import { concernsOf, NamedStates, toEmpty } from './named-states.js';
import { checkTarget, describeTarget, noTable, resetToEmpty } from './reset.js';
import { StateFault } from './state-fault.js';
import { Undos } from './undos.js';

/** Changes the state of a server's data as a whole. The control endpoints and the library call it. */
export class State {
  readonly #store: Store;
  readonly #accounts: Accounts;
  readonly #branches: Branches;
  readonly #named: NamedStates;
  /** Gets the errors of background work. */
  readonly report: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #unfinished = new Set<Promise<unknown>>();
  /** The calls that can be undone. */
  readonly undos: Undos;

  /**
   * `report` gets the errors of background work. `keeps` is whether calls that remove something can be undone. `open` tells the
   * store which service an account belongs to.
   */
  constructor(
    store: Store,
    accounts: Accounts,
    report: (error: unknown) => void,
    keeps = true,
    open: (account: Account) => Promise<void> = async () => {},
  ) {
    this.#store = store;
    this.#accounts = accounts;
    this.report = report;
    this.#branches = new Branches({ snapshots: store.snapshots, accounts, open, report });
    this.#named = new NamedStates(store, accounts, this.#branches);
    // Nobody misses data of a throw-away account.
    this.undos = new Undos({
      store,
      keeps: (account) => keeps && !this.#branches.find(account),
      isFull: () => store.memory?.()?.isFull ?? false,
      serves: (account) => accounts.names.has(account),
      report,
    });
  }

  /** Resumes an interrupted earlier run. */
  async resume(): Promise<void> {
    await this.#branches.resume();
    await this.undos.records.resume();
  }

  /** Looks for branches that another server has made or ended. */
  async findBranches(): Promise<void> {
    await this.#branches.refresh();
  }

  /** Ends background work, and what lasts until the server stops. Resolves when that has ended. */
  async stop(): Promise<void> {
    this.#branches.stop();
    this.undos.records.stop();
    this.#stopping.abort(new StateFault('not-done', 'The server stops.'));
    await Promise.allSettled(this.#unfinished);
  }

  /** Runs work that has to take something back if it cannot be finished. It ends soon when `stopping` is aborted. */
  async untilStopped<T>(work: (stopping: AbortSignal) => Promise<T>): Promise<T> {
    const running = work(this.#stopping.signal);
    this.#unfinished.add(running);
    return running.finally(() => this.#unfinished.delete(running));
  }

  /** Returns the account of this name; without one, all but branches. Errors: StateFault for an unknown one. */
  accountNames(account?: string): readonly string[] {
    return this.#named.accountsOf(account);
  }

  /** Brings what `target` names back to a known state; without one, all accounts. Errors: StateFault. */
  async reset(target: ResetTarget = {}): Promise<ResetReport> {
    checkTarget(target);
    await this.#branches.refresh();
    const accounts = this.#named.accountsOf(target.account);
    const to = target.to ?? (await this.#named.defaultOf(target));
    return timed(async () => {
      const report =
        to === toEmpty
          ? await resetToEmpty(this.#store, this.undos, accounts, target)
          : await this.#resetToSnapshot(to, accounts, target);
      return { to, ...report };
    });
  }

  /** Takes a snapshot of accounts; without them, of all. Replaces the one of the same name. Errors: StateFault. */
  async takeSnapshot(name: string, accounts?: readonly string[]): Promise<SnapshotSummary> {
    await this.#branches.refresh();
    if (this.#accounts.names.has(name)) {
      const hint = 'An account has this name, so `branch` and `diff` could not tell them apart. Choose another name.';
      throw new StateFault('invalid', `A snapshot cannot have the name '${name}'. ${hint}`);
    }
    const names = (accounts ?? [undefined]).flatMap((account) => this.#named.accountsOf(account));
    return this.#named.snapshots.take(name, names);
  }

  /** Restores the accounts of a snapshot that are served, or one account. Others stay as they are. Errors: StateFault. */
  async restoreSnapshot(name: string, account?: string): Promise<RestoreReport> {
    await this.#branches.refresh();
    const snapshot = await this.#named.snapshot(name);
    const served = snapshot.accounts.map((one) => one.name).filter((one) => this.#accounts.names.has(one));
    if (served.length === 0 && account === undefined) throw noneServed(snapshot);
    const restored = account === undefined ? served : this.#named.accountsOf(account);
    return timed(async () => {
      const moves = restored.map((one) => ({ from: this.#named.sourceOf(snapshot, one), to: one }));
      const made = await this.undos.exchange({
        ...{ what: `restore ${name}`, accounts: restored },
        restored: { snapshot: name, accounts: moves },
      });
      if (!made) throw snapshotGone(name);
      return { tables: made.given, ...(made.undo !== undefined && { undo: made.undo }) };
    });
  }

  /** Returns a snapshot. Errors: StateFault if it is missing. */
  async snapshot(name: string): Promise<SnapshotSummary> {
    return this.#named.snapshot(name);
  }

  /** Returns all snapshots by name. */
  async listSnapshots(): Promise<readonly SnapshotSummary[]> {
    return this.#named.snapshots.list();
  }

  /** Deletes a snapshot. Errors: StateFault if it is missing. */
  async deleteSnapshot(name: string): Promise<void> {
    await this.#named.snapshot(name);
    await this.#named.snapshots.delete(name);
  }

  /** Makes a throw-away account that begins as a copy. Errors: StateFault. */
  async branch({ from, account, seconds }: BranchWish = {}): Promise<MadeBranch> {
    await this.#branches.refresh();
    const { branch, tables } = await this.#branches.create(await this.#named.stateOf(from, account), seconds);
    const { dialect = 'storage' } = this.#accounts.find(branch.account) ?? {};
    return { ...summaryOf(branch), key: branch.key, tables, dialect };
  }

  /** Returns all branches, the first that ends first. */
  async listBranches(): Promise<readonly BranchSummary[]> {
    await this.#branches.refresh();
    return this.#branches.list().map(summaryOf);
  }

  /** Removes a branch with everything in it. Errors: StateFault if it is missing. */
  async endBranch(account: string): Promise<void> {
    await this.#branches.refresh();
    await this.#branches.end(account);
  }

  /** Returns the tables of an account, or of all but branches; with `isCounted`, how many entities each has. */
  async listTables(account: string | undefined, isCounted: boolean): Promise<readonly ListedTable[]> {
    await this.#branches.refresh();
    const listed: ListedTable[] = [];
    for (const owner of this.#named.accountsOf(account)) {
      for (const { name } of await this.#store.listTables(owner)) {
        const entities = isCounted ? await countEntities(this.#store, owner, name) : undefined;
        listed.push({ account: owner, name, ...(entities !== undefined && { entities }) });
      }
    }
    return listed;
  }

  /** Restores the tables that a call has changed as they were before it; without its id, those of the newest. Errors: StateFault. */
  async undo(id?: string): Promise<UndoReport> {
    return timed(() => this.undos.undo(id));
  }

  /** Deletes the entities of a table that a `$filter` finds. `undo` is that of an earlier part of the same deletion. Errors: StateFault; TableError. */
  async deleteEntities({
    account,
    table,
    filter,
    undo,
  }: {
    account?: string;
    table: string;
    filter: string;
    undo?: string;
  }): Promise<DeletionReport> {
    await this.#branches.refresh();
    const owner = this.#named.accountOf(account);
    // A script whose variable is not set must not delete everything.
    if (filter.trim() === '') throw new StateFault('invalid', 'The filter is empty. To empty a table, use reset.');
    const plan = planQuery(parseFilter(filter), { rowsMax: deletedAtOnce });
    const what = `delete ${owner}/${table} where ${filter}`;
    return this.undos.keep({ what, accounts: [owner], table, joined: undo }, async () => {
      const entities = await deleteEntities(this.#store, { account: owner, table }, plan);
      if (entities === undefined) throw new StateFault('missing', `The account ${owner} has no table ${table}.`);
      return { entities };
    });
  }

  /** Returns what differs between two states. Errors: StateFault. */
  async diff({ from, to, account, table, limit }: DiffWish): Promise<DiffReport> {
    checkLimit(limit);
    await this.#branches.refresh();
    const before = await this.#named.stateOf(from, account);
    const after = to === undefined ? { account: before.account } : await this.#named.stateOf(to, account);
    const concerns = concernsOf(table === undefined ? {} : { table }, this.#store);
    const options = { concerns, only: table, report: this.report };
    return listDifferences(diffStates(this.#store, this.#named.snapshots, [before, after], options), limit);
  }

  async #resetToSnapshot(name: string, accounts: readonly string[], target: ResetTarget) {
    const snapshot = await this.#named.snapshot(name);
    const isThere = (account: string) => snapshot.accounts.some((one) => one.name === account);
    if (target.account === undefined && !accounts.some(isThere)) throw noneServed(snapshot);
    const concerns = concernsOf(target, this.#store);
    const moves = accounts
      .filter((account) => target.account !== undefined || isThere(account))
      .map((account) => ({
        from: this.#named.sourceOf(snapshot, account),
        to: account,
        ...(concerns && { concerns }),
      }));
    // The state of the snapshot is one without the accounts that it does not have.
    const emptied = concerns ? [] : accounts.filter((one) => target.account === undefined && !isThere(one));
    const lists = await Promise.all(emptied.map((account) => this.#store.listTables(account)));
    const what = `reset ${describeTarget(target)} to ${name}`;
    const { table, tablePrefix } = target;
    const made = await this.undos.exchange({
      ...{ what, accounts: [...moves.map(({ to }) => to), ...emptied], table, tablePrefix },
      ...{ restored: { snapshot: name, accounts: moves }, reset: emptied },
    });
    if (!made) throw snapshotGone(name);
    if (target.table !== undefined && made.removed + made.given === 0) {
      if (made.undo !== undefined) await this.undos.records.forget(made.undo);
      throw noTable(target.table);
    }
    return { tables: made.given + lists.flat().length, ...(made.undo !== undefined && { undo: made.undo }) };
  }
}

function summaryOf({ account, from, expires }: BranchRecord): BranchSummary {
  return { account, from, expires: new Date(expires).toISOString() };
}

/** The fault of a snapshot that was there, with the accounts that were asked for, when the request began. */
function snapshotGone(name: string): StateFault {
  return new StateFault('missing', `The snapshot ${name} was deleted or replaced meanwhile.`);
}

/** The fault of a snapshot whose accounts are branches, or are not among those of the server any more. */
function noneServed({ name, accounts }: SnapshotSummary): StateFault {
  const names = accounts.map((account) => account.name).join(', ');
  return new StateFault('missing', `The snapshot ${name} is of other accounts: ${names}. To change a branch, name it.`);
}

/** Adds how long some work took. */
async function timed<T extends object>(work: () => Promise<T>): Promise<T & { readonly ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { ...result, ms: performance.now() - startedAt };
}
