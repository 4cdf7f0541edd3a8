import type { Accounts } from '../auth/accounts.js';
import type { Account, DialectName } from '../protocol/access/accounts.js';
import { parseFilter } from '../query/filter/parse-filter.js';
import { planQuery } from '../query/plan/plan-query.js';
import type { BranchRecord } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import { Branches } from './branches.js';
import type {
  BranchRequest,
  BranchSummary,
  DeletionReport,
  DescribedTable,
  DiffReport,
  DiffRequest,
  ListedTable,
  MadeBranch,
  ReadEntities,
  ResetReport,
  ResetTarget,
  RestoreReport,
  SnapshotSummary,
  UndoReport,
} from './contract.js';
import { countEntities, deletedAtOnce, deleteEntities } from './delete-entities.js';
import { checkLimit, diffStates, listDifferences } from './diff.js';
import { concernsOf, NamedStates, toEmpty } from './named-states.js';
import { countMatches, describeTable, readEntities } from './read-table.js';
import { checkTarget, describeTarget, noTable, resetToEmpty } from './reset.js';
import { StateFault } from './state-fault.js';
import { Undos } from './undos.js';

/** What an operation did to the data as a whole. Without an account, it may concern all of them. */
export interface StateEvent {
  readonly kind:
    | 'entities-deleted'
    | 'reset'
    | 'restored'
    | 'imported'
    | 'undone'
    | 'snapshot-created'
    | 'snapshot-deleted'
    | 'branch-created'
    | 'branch-ended';
  readonly account?: string | undefined;
  readonly table?: string | undefined;
}

/** A table, and the entities of it that a `$filter` finds. */
export interface TableWish {
  readonly account?: string;
  readonly table: string;
  readonly filter?: string;
}

/** Operations on the data of a server as a whole, for verbs and imports. */
export class State {
  readonly #store: Store;
  readonly #accounts: Accounts;
  readonly #branches: Branches;
  readonly #named: NamedStates;
  /** Receives the errors of background work. */
  readonly report: (error: unknown) => void;
  /** Receives what operations did, also imports. */
  readonly tell: (event: StateEvent) => void;
  readonly #stopping = new AbortController();
  readonly #unfinished = new Set<Promise<unknown>>();
  readonly undos: Undos;

  /** `keeps` is whether removals can be undone. `open` opens an account in the store under its service. */
  constructor(
    store: Store,
    accounts: Accounts,
    report: (error: unknown) => void,
    keeps = true,
    open: (account: Account) => Promise<void> = async () => {},
    tell: (event: StateEvent) => void = () => {},
  ) {
    this.#store = store;
    this.#accounts = accounts;
    this.report = report;
    this.tell = tell;
    const onEnded = (account: string) => tell({ kind: 'branch-ended', account });
    this.#branches = new Branches({ snapshots: store.snapshots, accounts, open, report, onEnded });
    this.#named = new NamedStates(store, accounts, this.#branches);
    // The data of a branch is throwaway, so its removals are not kept.
    this.undos = new Undos({
      store,
      keeps: (account) => keeps && !this.#branches.find(account),
      isFull: () => store.memory?.()?.isFull ?? false,
      serves: (account) => accounts.names.has(account),
      report,
    });
  }

  /** Serves the branches of an earlier run, and cleans up after it. */
  async resume(): Promise<void> {
    await this.#branches.resume();
    await this.undos.records.resume();
  }

  /** Picks up branches created or removed by other servers. */
  async findBranches(): Promise<void> {
    await this.#branches.refresh();
  }

  /** Stops background work, and aborts and awaits the work of `untilStopped`. */
  async stop(): Promise<void> {
    this.#branches.stop();
    this.undos.records.stop();
    this.#stopping.abort(new StateFault('not-done', 'The server stops.'));
    await Promise.allSettled(this.#unfinished);
  }

  /** Runs work that must roll back if it cannot finish. It ends soon after `stopping` aborts. */
  async untilStopped<T>(work: (stopping: AbortSignal) => Promise<T>): Promise<T> {
    const running = work(this.#stopping.signal);
    this.#unfinished.add(running);
    return running.finally(() => this.#unfinished.delete(running));
  }

  /** Returns the account with this name, or all accounts except branches. Errors: StateFault for an unknown one. */
  accountNames(account?: string): readonly string[] {
    return this.#named.accountsOf(account);
  }

  /** Resets the target, by default all accounts, to a snapshot or to empty. Errors: StateFault. */
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
      this.tell({ kind: 'reset', account: target.account, table: target.table });
      return { to, ...report };
    });
  }

  /** Takes a snapshot of the accounts, by default of all except branches. Replaces one of the same name. Errors: StateFault. */
  async takeSnapshot(name: string, accounts?: readonly string[]): Promise<SnapshotSummary> {
    await this.#branches.refresh();
    if (this.#accounts.names.has(name)) {
      const hint = 'An account has this name, so `branch` and `diff` could not tell them apart. Choose another name.';
      throw new StateFault('invalid', `A snapshot cannot have the name '${name}'. ${hint}`);
    }
    const names = (accounts ?? [undefined]).flatMap((account) => this.#named.accountsOf(account));
    const summary = await this.#named.snapshots.take(name, names);
    this.tell({ kind: 'snapshot-created' });
    return summary;
  }

  /** Restores the served accounts of a snapshot, or one account. Others stay unchanged. Errors: StateFault. */
  async restoreSnapshot(name: string, account?: string): Promise<RestoreReport> {
    await this.#branches.refresh();
    const snapshot = await this.#named.snapshot(name);
    const served = snapshot.accounts.map((one) => one.name).filter((one) => this.#accounts.names.has(one));
    if (served.length === 0 && account === undefined) throw noneServed(snapshot);
    const restored = account === undefined ? served : this.#named.accountsOf(account);
    return timed(async () => {
      const moves = restored.map((one) => ({ from: this.#named.sourceOf(snapshot, one), to: one }));
      const outcome = await this.undos.exchange({
        ...{ what: `restore ${name}`, accounts: restored },
        restored: { snapshot: name, accounts: moves },
      });
      if (!outcome) throw snapshotGone(name);
      this.tell({ kind: 'restored', account });
      return { tables: outcome.restored, ...(outcome.undo !== undefined && { undo: outcome.undo }) };
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
    this.tell({ kind: 'snapshot-deleted' });
  }

  /** Creates a throwaway account as a copy. Errors: StateFault. */
  async branch({ from, account, seconds, mark }: BranchRequest = {}): Promise<MadeBranch> {
    await this.#branches.refresh();
    const source =
      from === toEmpty
        ? { account: this.#named.accountOf(account), snapshot: toEmpty }
        : await this.#named.stateOf(from, account);
    const { branch, tables } = await this.#branches.create(source, seconds, mark);
    const { dialect = 'storage' } = this.#accounts.find(branch.account) ?? {};
    this.tell({ kind: 'branch-created', account: branch.account });
    return { ...summaryOf(branch), key: branch.key, tables, dialect };
  }

  /** Returns all branches, the next to expire first. */
  async listBranches(): Promise<readonly BranchSummary[]> {
    await this.#branches.refresh();
    return this.#branches.list().map(summaryOf);
  }

  /** Removes a branch and its data. Errors: StateFault if it is missing. */
  async endBranch(account: string): Promise<void> {
    await this.#branches.refresh();
    await this.#branches.end(account);
  }

  /** Returns the tables of an account, or of all except branches, or those of one name; with `isCounted`, also the number of their entities. */
  async listTables(account: string | undefined, isCounted: boolean, table?: string): Promise<readonly ListedTable[]> {
    await this.#branches.refresh();
    const listed: ListedTable[] = [];
    for (const owner of this.#named.accountsOf(account)) {
      for (const { name } of await this.#store.listTables(owner)) {
        if (table !== undefined && this.#store.nameKey(owner, table) !== this.#store.nameKey(owner, name)) continue;
        const entities = isCounted ? await countEntities(this.#store, owner, name) : undefined;
        listed.push({ account: owner, name, ...(entities !== undefined && { entities }) });
      }
    }
    return listed;
  }

  /** Undoes a call, by default the newest that is not an undo, by restoring the tables that it changed. Errors: StateFault. */
  async undo(id?: string): Promise<UndoReport> {
    return timed(async () => {
      const report = await this.undos.undo(id);
      this.tell({ kind: 'undone' });
      return report;
    });
  }

  /** Returns the service of an account, by default of the first one. Errors: StateFault for an unknown one. */
  async serviceOf(account?: string): Promise<DialectName> {
    await this.#branches.refresh();
    return this.#accounts.find(this.#named.accountOf(account))?.dialect ?? 'storage';
  }

  /** Returns the first entities of a table that a `$filter` finds. Errors: StateFault; TableError. */
  async readEntities({
    account,
    table,
    filter = '',
    ...wish
  }: TableWish & { readonly select?: readonly string[]; readonly limit: number }): Promise<ReadEntities> {
    const place = { account: this.#named.accountOf(account), table };
    return readEntities(this.#store, place, { ...wish, filter: parseFilter(filter) });
  }

  /** Counts the entities of a table that a `$filter` finds. Errors: StateFault; TableError. */
  async countEntities({ account, table, filter = '' }: TableWish): Promise<number> {
    return countMatches(this.#store, { account: this.#named.accountOf(account), table }, parseFilter(filter));
  }

  /** Describes the properties of a table. Errors: StateFault. */
  async describeTable({ account, table }: TableWish): Promise<DescribedTable> {
    await this.#branches.refresh();
    return describeTable(this.#store, { account: this.#named.accountOf(account), table });
  }

  /** Deletes the entities that match a `$filter`. `undo` is the ID of an earlier part of the deletion. Errors: StateFault; TableError. */
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
    // A script with an unset variable must not delete everything.
    if (filter.trim() === '') throw new StateFault('invalid', 'The filter is empty. To empty a table, use reset.');
    const plan = planQuery(parseFilter(filter), { rowsMax: deletedAtOnce });
    const what = `delete ${owner}/${table} where ${filter}`;
    return this.undos.keep({ what, accounts: [owner], table, joined: undo }, async () => {
      const entities = await deleteEntities(this.#store, { account: owner, table }, plan);
      if (entities === undefined) throw new StateFault('missing', `The account ${owner} has no table ${table}.`);
      this.tell({ kind: 'entities-deleted', account: owner, table });
      return { entities };
    });
  }

  /** Returns the differences between two states. Errors: StateFault. */
  async diff({ from, to, account, table, limit }: DiffRequest): Promise<DiffReport> {
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
    // In the state of the snapshot, accounts that it lacks are empty.
    const emptied = concerns ? [] : accounts.filter((one) => target.account === undefined && !isThere(one));
    const lists = await Promise.all(emptied.map((account) => this.#store.listTables(account)));
    const what = `reset ${describeTarget(target)} to ${name}`;
    const { table, tablePrefix } = target;
    const outcome = await this.undos.exchange({
      ...{ what, accounts: [...moves.map(({ to }) => to), ...emptied], table, tablePrefix },
      ...{ restored: { snapshot: name, accounts: moves }, reset: emptied },
    });
    if (!outcome) throw snapshotGone(name);
    const { removed, restored, undo } = outcome;
    if (target.table !== undefined && removed + restored === 0) {
      if (undo !== undefined) await this.undos.records.forget(undo);
      throw noTable(target.table);
    }
    return { tables: restored + lists.flat().length, ...(undo !== undefined && { undo }) };
  }
}

function summaryOf({ account, from, expires }: BranchRecord): BranchSummary {
  return { account, from, expires: new Date(expires).toISOString() };
}

/** The fault of a snapshot that existed when the call began. */
function snapshotGone(name: string): StateFault {
  return new StateFault('missing', `The snapshot ${name} was deleted or replaced meanwhile.`);
}

/** The fault of a snapshot whose accounts are all branches or no longer served. */
function noneServed({ name, accounts }: SnapshotSummary): StateFault {
  const names = accounts.map((account) => account.name).join(', ');
  return new StateFault('missing', `The snapshot ${name} is of other accounts: ${names}. To change a branch, name it.`);
}

async function timed<T extends object>(work: () => Promise<T>): Promise<T & { readonly ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { ...result, ms: performance.now() - startedAt };
}
