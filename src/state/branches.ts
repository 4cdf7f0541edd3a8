import { randomBytes, randomInt } from 'node:crypto';
import type { Accounts } from '../auth/accounts.js';
import type { Account, DialectName } from '../protocol/access/accounts.js';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import { StateFault } from './state-fault.js';

/** How long a branch lasts if its maker does not say. Unit: seconds. (Our choice: longer than a test run.) */
export const branchSeconds = 3600;

/** The longest that a branch may last. Unit: seconds. (Our choice: a week.) */
const branchSecondsMax = 7 * 24 * 3600;

/** Number of branches at a time. (Our choice: far more than tests that run side by side.) */
const branchesMax = 256;

/**
 * How long a branch that could not be removed waits for the next try, and how often a server looks for branches of other
 * servers that end soon. Unit: milliseconds. (Our choice.)
 */
const lookMs = 60_000;

/** Size of the key of a branch. Unit: bytes. Source: emulator 1. */
const keyBytes = 64;

/** Number of random characters in the name of a branch. */
const nameLength = 10;

/** What branches need. */
export interface BranchesOptions {
  readonly snapshots: SnapshotStore;
  readonly accounts: Accounts;
  /** Tells the store which service an account belongs to. Errors: StoreError if its data belongs to another one. */
  readonly open: (account: Account) => Promise<void>;
  /** Is called with errors of branches that could not be removed in time. */
  readonly report: (error: unknown) => void;
}

/**
 * The throw-away accounts of a server. Each begins as a copy, has a key of its own, and ends at a given time.
 *
 * Several servers on one database have the same branches. A server finds those of the others when a request names one, before
 * each change of the state, and every minute.
 */
export class Branches {
  readonly #options: BranchesOptions;
  readonly #isShared: boolean;
  /** All branches that are kept, by account. */
  readonly #known = new Map<string, BranchRecord>();
  /** Finds out which branches other servers have made and ended. Does nothing if there cannot be any. */
  readonly refresh: () => Promise<void>;
  /** The accounts of branches that are being removed. */
  readonly #ending = new Set<string>();
  /** How many branches this server has begun or finished to remove. */
  #ends = 0;
  /** Number of branches that are being made. */
  #making = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: BranchesOptions) {
    this.#options = options;
    const { snapshots } = options;
    this.#isShared = snapshots.onEndedElsewhere !== undefined;
    this.refresh = this.#isShared ? afterNow(() => this.#look()) : async () => {};
    snapshots.onEndedElsewhere?.((account) => this.#forget(account));
  }

  /** Serves the branches that an earlier run of the server has left, and removes those whose time is over. */
  async resume(): Promise<void> {
    await this.#serveAll(await this.#options.snapshots.branches());
    await this.#endExpired();
  }

  /** Returns the branch of this account, if it is one. */
  find(account: string): BranchRecord | undefined {
    return this.#known.get(account);
  }

  /** Returns all branches, the first that ends first. */
  list(): readonly BranchRecord[] {
    return this.#inOrder();
  }

  /** Makes a branch that lasts for `seconds`. Returns it with its number of tables. Errors: StateFault. */
  async create(
    from: BranchRecord['from'],
    seconds: number = branchSeconds,
  ): Promise<{ readonly branch: BranchRecord; readonly tables: number }> {
    if (!(seconds >= 1 && seconds <= branchSecondsMax)) {
      throw new StateFault('invalid', `A branch lasts for 1 to ${branchSecondsMax} seconds, not for ${seconds}.`);
    }
    if (this.list().length + this.#making >= branchesMax) {
      throw new StateFault(
        'invalid',
        `There are ${branchesMax} branches already. Delete those that are not used any more.`,
      );
    }
    const account = this.#freeName();
    const key = randomBytes(keyBytes).toString('base64');
    const branch = { account, from, key, expires: Date.now() + seconds * 1000 };
    this.#making++;
    try {
      const tables = await this.#options.snapshots.branch(branch);
      if (tables === undefined) throw new StateFault('missing', `There is no snapshot ${from.snapshot}.`);
      await this.#serve(branch);
      this.#schedule();
      return { branch, tables };
    } finally {
      this.#making--;
    }
  }

  /**
   * Removes a branch with everything in it. If that fails, the branch stays in the list, without being served, and is removed
   * a minute later. Errors: StateFault if it is missing; the engine's.
   */
  async end(account: string): Promise<void> {
    const branch = this.#known.get(account);
    if (!branch) throw new StateFault('missing', `There is no branch ${account}.`);
    // Requests are rejected from now on, before the data goes.
    this.#forget(account);
    this.#ending.add(account);
    this.#ends++;
    try {
      await this.#options.snapshots.endBranch(account);
    } catch (error) {
      this.#known.set(account, { ...branch, expires: Date.now() + lookMs });
      this.#schedule();
      throw error;
    } finally {
      this.#ending.delete(account);
      this.#ends++;
    }
  }

  /** Stops waiting for branches to expire. They stay. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const before = [...this.#known.keys()];
    const ends = this.#ends;
    const found = await this.#options.snapshots.branches();
    // A branch that was removed meanwhile may be in the list.
    if (ends !== this.#ends) return this.#look();
    const listed = new Set(found.map(({ account }) => account));
    for (const account of before) if (!listed.has(account)) this.#forget(account);
    // One that could not be removed is not served again.
    await this.#serveAll(found.filter(({ account }) => !this.#known.has(account) && !this.#ending.has(account)));
    this.#schedule();
  }

  async #serveAll(branches: readonly BranchRecord[]): Promise<void> {
    for (const branch of branches) this.#known.set(branch.account, branch);
    for (const branch of branches) await this.#serve(branch).catch(this.#options.report);
  }

  /** Serves a branch by the service of the account that it is a copy of. Errors: StoreError if that is another one. */
  async #serve(branch: BranchRecord): Promise<void> {
    const { accounts, open } = this.#options;
    const { account: name, key } = branch;
    this.#known.set(name, branch);
    const account = { name, keys: [key], dialect: this.#dialectOf(branch), origin: this.#originOf(branch) };
    await open(account);
    // It may have ended meanwhile.
    if (this.#known.has(name) && !accounts.names.has(name)) accounts.add(account);
  }

  /** Returns the service of a branch: that of the account at the beginning of its chain of copies. */
  #dialectOf({ from }: BranchRecord): DialectName {
    const parent = this.#known.get(from.account);
    return parent ? this.#dialectOf(parent) : (this.#options.accounts.find(from.account)?.dialect ?? 'storage');
  }

  /** Returns the account at the beginning of the chain of copies that a branch is of. */
  #originOf({ from }: BranchRecord): string {
    const parent = this.#known.get(from.account);
    return parent ? this.#originOf(parent) : from.account;
  }

  #forget(account: string): void {
    if (!this.#known.delete(account)) return;
    this.#options.accounts.remove(account);
  }

  #inOrder(): readonly BranchRecord[] {
    return [...this.#known.values()].sort((a, b) => a.expires - b.expires);
  }

  /** Returns a name that fits an account: lower-case letters and digits. */
  #freeName(): string {
    for (;;) {
      const name = `b${Array.from({ length: nameLength }, () => randomInt(36).toString(36)).join('')}`;
      if (!this.#options.accounts.names.has(name)) return name;
    }
  }

  async #endExpired(): Promise<void> {
    const now = Date.now();
    for (const { account, expires } of this.#inOrder()) {
      if (expires <= now && !this.#isStopped) await this.end(account).catch(this.#options.report);
    }
    this.#schedule();
  }

  /** Waits for the branch that ends next. A server without branches has no timer, unless there may be other servers. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const waits = this.#inOrder()
      .slice(0, 1)
      // A clock that was set back makes it longer than a timer can wait.
      .map(({ expires }) => Math.min(branchSecondsMax * 1000, Math.max(0, expires - Date.now())));
    if (this.#isShared) waits.push(lookMs);
    if (waits.length === 0) return;
    this.#timer = setTimeout(() => void this.#wake(), Math.min(...waits)).unref();
  }

  async #wake(): Promise<void> {
    await this.refresh().catch(this.#options.report);
    await this.#endExpired();
  }
}

/**
 * Returns a function that resolves after a run of `work` which began after the call. Calls that wait together share a run, and
 * there is one run at a time. Errors: those of `work`.
 */
function afterNow(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = work();
        return running;
      });
    return next;
  };
}
