import { randomBytes, randomInt } from 'node:crypto';
import type { Accounts } from '../auth/accounts.js';
import type { Account, DialectName } from '../protocol/accounts.js';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import { StateFault } from './state-fault.js';

/** How long a branch lasts if its maker does not say. Unit: seconds. Ours: longer than a test run. */
export const branchSeconds = 3600;

/** The longest that a branch may last. Unit: seconds. Ours: a week. */
const branchSecondsMax = 7 * 24 * 3600;

/** Number of branches at a time. Ours: far more than tests that run side by side. */
const branchesMax = 256;

/** How long a branch that could not be removed waits for the next try. Unit: milliseconds. Ours. */
const retryMs = 60_000;

/** Size of the key of a branch. Unit: bytes. Source: emulator 1. */
const keyBytes = 64;

/** Number of random characters in the name of a branch. */
const nameLength = 10;

/** What branches need. */
export interface BranchesOptions {
  /** Returns what keeps branches. Errors: StateFault if the engine cannot. */
  readonly snapshots: () => SnapshotStore;
  readonly accounts: Accounts;
  /** Tells the store which service an account belongs to. Errors: StoreError if its data belongs to another one. */
  readonly open: (account: Account) => Promise<void>;
  /** Is called with errors of branches that could not be removed in time. */
  readonly report: (error: unknown) => void;
}

/** The throw-away accounts of a server. Each begins as a copy, has a key of its own, and ends at a given time. */
export class Branches {
  readonly #options: BranchesOptions;
  readonly #known = new Map<string, BranchRecord>();
  /** Number of branches that are being made. */
  #making = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: BranchesOptions) {
    this.#options = options;
  }

  /** Serves the branches that an earlier run of the server has left, and removes those whose time is over. */
  async resume(): Promise<void> {
    const left = await this.#options.snapshots().branches();
    for (const branch of left) this.#known.set(branch.account, branch);
    for (const branch of left) await this.#serve(branch).catch(this.#options.report);
    await this.#endExpired();
  }

  /** Returns the branch of this account, if it is one. */
  find(account: string): BranchRecord | undefined {
    return this.#known.get(account);
  }

  /** Returns all branches, the first that ends first. */
  list(): readonly BranchRecord[] {
    return [...this.#known.values()].sort((a, b) => a.expires - b.expires);
  }

  /** Makes a branch that lasts for `seconds`. Returns it with its number of tables. Errors: StateFault. */
  async create(
    from: BranchRecord['from'],
    seconds: number = branchSeconds,
  ): Promise<{ readonly branch: BranchRecord; readonly tables: number }> {
    if (!(seconds > 0 && seconds <= branchSecondsMax)) {
      throw new StateFault('invalid', `A branch lasts for 1 to ${branchSecondsMax} seconds, not for ${seconds}.`);
    }
    if (this.#known.size + this.#making >= branchesMax) {
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
      const tables = await this.#options.snapshots().branch(branch);
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
    this.#known.delete(account);
    // Requests are refused from now on, before the data goes.
    this.#options.accounts.remove(account);
    try {
      await this.#options.snapshots().endBranch(account);
    } catch (error) {
      this.#known.set(account, { ...branch, expires: Date.now() + retryMs });
      this.#schedule();
      throw error;
    }
  }

  /** Stops to wait for the end of branches, for good. They stay. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Serves a branch by the service of the account that it is a copy of. Errors: StoreError if that is another one. */
  async #serve(branch: BranchRecord): Promise<void> {
    const { accounts, open } = this.#options;
    const { account: name, key } = branch;
    this.#known.set(name, branch);
    if (accounts.names.has(name)) return;
    const account = { name, keys: [key], dialect: this.#dialectOf(branch) };
    await open(account);
    accounts.add(account);
  }

  /** Returns the service of a branch: that of the account at the beginning of its chain of copies. */
  #dialectOf({ from }: BranchRecord): DialectName {
    const parent = this.#known.get(from.account);
    return parent ? this.#dialectOf(parent) : (this.#options.accounts.find(from.account)?.dialect ?? 'storage');
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
    for (const { account, expires } of this.list()) {
      if (expires <= now && !this.#isStopped) await this.end(account).catch(this.#options.report);
    }
    this.#schedule();
  }

  /** Waits for the branch that ends next. A server without branches has no timer. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const [next] = this.list();
    if (!next || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#endExpired(), Math.max(0, next.expires - Date.now())).unref();
  }
}
