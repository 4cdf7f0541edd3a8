import { randomBytes, randomInt } from 'node:crypto';
import type { Accounts } from '../auth/accounts.js';
import type { Account, DialectName } from '../protocol/access/accounts.js';
import { redactSecrets } from '../protocol/redact-secrets.js';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import { StateFault } from './state-fault.js';

/** Default lifetime of a branch. Unit: seconds. (Our choice: longer than a test run.) */
export const branchSeconds = 3600;

/** Longest lifetime of a branch. Unit: seconds. (Our choice: a week.) */
const branchSecondsMax = 7 * 24 * 3600;

/** Most branches at a time. (Our choice: far more than there are parallel tests.) */
const branchesMax = 256;

/** Delay before a failed removal is retried, and between two polls for branches of other servers. Unit: milliseconds. (Our choice.) */
const lookMs = 60_000;

/** Size of an account key. Unit: bytes. Source: emulator 1. */
const keyBytes = 64;

/** Longest mark of a branch. Unit: UTF-16 code units. (Our choice: the full name of a test fits.) */
const markUnitsMax = 256;

/** Random characters in a branch name. */
const nameLength = 10;

/** The dependencies of `Branches`. */
export interface BranchesOptions {
  readonly snapshots: SnapshotStore;
  readonly accounts: Accounts;
  /** Opens an account in the store under its service. Errors: StoreError if its data belongs to another service. */
  readonly open: (account: Account) => Promise<void>;
  /** Called with each branch that this server has removed, or that it no longer finds. */
  readonly onEnded?: (account: string) => void;
  /** Receives the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * The throwaway accounts of a server. Each starts as a copy, has its own key, and expires.
 *
 * Servers on one database share their branches. A server picks up changes by the others when a request names an unknown account,
 * before each state operation, and every minute.
 */
export class Branches {
  readonly #options: BranchesOptions;
  readonly #isShared: boolean;
  /** By account. */
  readonly #known = new Map<string, BranchRecord>();
  /** Picks up branches created or removed by other servers. Does nothing if the database is not shared. */
  readonly refresh: () => Promise<void>;
  /** Accounts whose removal is in progress. */
  readonly #ending = new Set<string>();
  /** Counts each start and each end of a removal by this server. */
  #ends = 0;
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

  /** Serves the branches of an earlier run, and removes the expired ones. */
  async resume(): Promise<void> {
    await this.#serveAll(await this.#options.snapshots.branches());
    await this.#endExpired();
  }

  /** Returns the branch with this account name. */
  find(account: string): BranchRecord | undefined {
    return this.#known.get(account);
  }

  /** Returns all branches, the next to expire first. */
  list(): readonly BranchRecord[] {
    return this.#inOrder();
  }

  /**
   * Creates a branch that expires after `seconds`. `mark` is that of its requests. Returns it with its number of tables. Errors:
   * StateFault.
   */
  async create(
    from: BranchRecord['from'],
    seconds: number = branchSeconds,
    mark?: string,
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
    const marked = mark !== undefined && { mark: redactSecrets(mark).slice(0, markUnitsMax) };
    const branch = { account, from, key, expires: Date.now() + seconds * 1000, ...marked };
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
   * Removes a branch and its data. After a failure, the branch stays listed but is not served, and a minute later the removal
   * is retried. Errors: StateFault if it is missing; the engine's.
   */
  async end(account: string): Promise<void> {
    const branch = this.#known.get(account);
    if (!branch) throw new StateFault('missing', `There is no branch ${account}.`);
    // First reject new requests, then remove the data.
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

  /** Stops the timer. The branches stay in the store. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const before = [...this.#known.keys()];
    const ends = this.#ends;
    const current = await this.#options.snapshots.branches();
    // The list may still contain a branch removed meanwhile.
    if (ends !== this.#ends) return this.#look();
    const listed = new Set(current.map(({ account }) => account));
    for (const account of before) if (!listed.has(account)) this.#forget(account);
    // A known branch whose removal failed must not be served again.
    await this.#serveAll(current.filter(({ account }) => !this.#known.has(account) && !this.#ending.has(account)));
    this.#schedule();
  }

  async #serveAll(branches: readonly BranchRecord[]): Promise<void> {
    for (const branch of branches) this.#known.set(branch.account, branch);
    for (const branch of branches) await this.#serve(branch).catch(this.#options.report);
  }

  /** Serves a branch with the dialect of its origin. Errors: StoreError if its data belongs to another service. */
  async #serve(branch: BranchRecord): Promise<void> {
    const { accounts, open } = this.#options;
    const { account: name, key, mark } = branch;
    this.#known.set(name, branch);
    const origins = { dialect: this.#dialectOf(branch), origin: this.#originOf(branch) };
    const account = { name, keys: [key], ...origins, ...(mark !== undefined && { mark }) };
    await open(account);
    // It may have been removed meanwhile.
    if (this.#known.has(name) && !accounts.names.has(name)) accounts.add(account);
  }

  #dialectOf({ from }: BranchRecord): DialectName {
    const parent = this.#known.get(from.account);
    return parent ? this.#dialectOf(parent) : (this.#options.accounts.find(from.account)?.dialect ?? 'storage');
  }

  /** Returns the account from which the first branch of a chain was copied. */
  #originOf({ from }: BranchRecord): string {
    const parent = this.#known.get(from.account);
    return parent ? this.#originOf(parent) : from.account;
  }

  #forget(account: string): void {
    const branch = this.#known.get(account);
    if (!branch) return;
    this.#known.delete(account);
    const owner = branch.mark === undefined ? '' : ` of '${branch.mark}'`;
    this.#options.accounts.remove(account, `The branch ${account}${owner} was deleted at ${new Date().toISOString()}.`);
    this.#options.onEnded?.(account);
  }

  #inOrder(): readonly BranchRecord[] {
    return [...this.#known.values()].sort((a, b) => a.expires - b.expires);
  }

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

  /** Sets the timer for the next expiry. Without branches, only a server on a shared database needs one. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const waits = this.#inOrder()
      .slice(0, 1)
      // After the system clock was set back, the wait could exceed the range of a timer.
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
 * Coalesces calls of `work`: each call resolves after a run that began after it. Waiting calls share the next run, and runs
 * never overlap. Errors: those of `work`.
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
