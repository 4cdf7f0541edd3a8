import type { Change } from '../../../entity/stored/change.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { endOfTurn } from '../connection/end-of-turn.js';
import { notDone } from '../connection/failures.js';
import type { CommitResult, GroupResult, GroupWriter } from './group-writer.js';
import { type CommitRequest, entityKeyOf, tableKeyOf } from './judge-group.js';
import { writeMs } from './receipt-writer.js';

/** What lanes count, for the metrics. */
export interface LaneCounts {
  groups: number;
  commits: number;
  waitedMs: number;
}

/** A group takes at most this many changes or bytes, but always one commit. */
const groupMax = { changes: 1000, bytes: 8 * 1024 * 1024 };

/**
 * A group of this many changes is written at once, although more may be arriving. Reading the requests of such changes
 * takes longer than writing them, and the database would wait meanwhile.
 */
const groupEnough = 50;

/** If more than this waits, further commits are rejected at once. */
const waitingMax = { changes: 2000, bytes: 32 * 1024 * 1024 };

/** Time between two looks whether locked rows are free. Unit: milliseconds. */
const lookMs = 100;

/** Longest pause before a commit is tried again whose lock cannot be seen. It doubles until then. Unit: milliseconds. */
const pauseMsMax = 1600;

interface Waiting {
  /** Its place in the order of arrival. */
  readonly order: number;
  readonly commit: CommitRequest;
  readonly bytes: number;
  readonly askedAt: number;
  readonly settle: (result: CommitResult) => void;
  readonly fail: (error: unknown) => void;
  /** How often it was blocked, and when it may be tried again. */
  blocks: number;
  notBefore: number;
}

/**
 * Commits in groups: while one group is being written, the commits that arrive form the next one. Commits of one
 * partition go through one lane, so they are judged in the order in which they arrive.
 *
 * A commit that needs a row which another session has locked is set aside, with later ones of the same row, until the row is free. All
 * others continue.
 */
export class CommitLane {
  readonly #writer: GroupWriter;
  readonly #counts: LaneCounts;
  #waiting: Waiting[] = [];
  #changes = 0;
  #bytes = 0;
  /** Commits that are set aside, in the order of arrival. */
  #blocked: Waiting[] = [];
  #arrived = 0;
  #running: Promise<void> | undefined;
  /** Ends the pause until the next look at locked rows. */
  #wake: (() => void) | undefined;
  /** Begins the next group; undefined if none is to begin. */
  #begin: (() => void) | undefined;

  constructor(writer: GroupWriter, counts: LaneCounts) {
    this.#writer = writer;
    this.#counts = counts;
  }

  get waiting(): number {
    return this.#blocked.reduce((sum, { commit }) => sum + commit.changes.length, this.#changes);
  }

  /** Commits changes in their turn. Errors: StoreUnavailable, with what became of them. */
  commit(commit: CommitRequest): Promise<CommitResult> {
    const bytes = this.#blocked.reduce((sum, one) => sum + one.bytes, this.#bytes);
    const isFull = this.waiting >= waitingMax.changes || bytes >= waitingMax.bytes;
    // A commit of any size must be possible when nothing waits.
    if (isFull) return Promise.reject(new StoreUnavailable('not-done', 'Too many changes wait for the database.'));
    return new Promise((settle, fail) => {
      const askedAt = performance.now();
      const order = this.#arrived++;
      this.#wait([{ order, commit, bytes: bytesOf(commit.changes), askedAt, settle, fail, blocks: 0, notBefore: 0 }]);
      this.#wake?.();
      this.#running ??= this.#run();
      if (this.#changes >= groupEnough) this.#begin?.();
    });
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    let answer = () => {};
    for (let last = 0; ; ) {
      // With as many clients as before, half of them wait while the changes of the others are written.
      const isEnough = this.#changes >= groupEnough || (last > 0 && 2 * this.#changes >= last);
      if (!isEnough) {
        answer();
        answer = () => {};
        await this.#moreChanges();
      }
      if (this.#blocked.length > 0) {
        answer();
        answer = () => {};
        await this.#lookAtBlocked();
      } else if (this.#waiting.length === 0) break;
      if (this.#waiting.length === 0) continue;
      last = this.#changes;
      const group = this.#take();
      last -= this.#changes;
      if (group.length === 0) continue;
      const written = this.#writer.commit(group.map(({ commit }) => commit));
      // The database writes the next group while the answers of the last one are sent.
      answer();
      answer = await this.#answerOf(group, written);
    }
    this.#running = undefined;
  }

  /** Waits until a group is written. Returns what answers its commits. */
  async #answerOf(group: Waiting[], written: Promise<readonly GroupResult[]>): Promise<() => void> {
    try {
      const results = await written;
      this.#wait(group.splice(results.length), 'first');
      this.#counts.groups++;
      const settled: (() => void)[] = [];
      for (const [at, one] of group.entries()) {
        const result = results[at] as GroupResult;
        if (result === 'blocked') this.#setAside(one, Math.min(pauseMsMax, lookMs * 2 ** one.blocks++));
        else settled.push(() => one.settle(result));
      }
      this.#counts.commits += settled.length;
      return () => {
        for (const settle of settled) settle();
      };
    } catch (error) {
      return () => {
        for (const { fail } of group) fail(error);
      };
    }
  }

  /** Resolves when a group has enough changes, or no more arrive in this turn. */
  async #moreChanges(): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    await Promise.race([enough, endOfTurn()]);
    this.#begin = undefined;
  }

  #take(): Waiting[] {
    let [taken, changes, bytes] = [0, 0, 0];
    for (const { commit, bytes: own } of this.#waiting) {
      if (taken > 0 && (changes + commit.changes.length > groupMax.changes || bytes + own > groupMax.bytes)) break;
      changes += commit.changes.length;
      bytes += own;
      taken++;
    }
    this.#changes -= changes;
    this.#bytes -= bytes;
    const group = this.#notBlocked(this.#waiting.splice(0, taken));
    const now = performance.now();
    for (const { askedAt } of group) this.#counts.waitedMs += now - askedAt;
    return group;
  }

  /** Sets those aside that need a row for which earlier ones wait. Returns the rest. */
  #notBlocked(commits: Waiting[]): Waiting[] {
    if (this.#blocked.length === 0) return commits;
    return commits.filter((one) => {
      if (!this.#blocked.some((other) => other.order < one.order && shareRow(other.commit, one.commit))) return true;
      this.#setAside(one, lookMs);
      return false;
    });
  }

  #setAside(one: Waiting, pauseMs: number): void {
    one.notBefore = performance.now() + pauseMs;
    const at = this.#blocked.findLastIndex(({ order }) => order < one.order) + 1;
    this.#blocked.splice(at, 0, one);
  }

  /** Lets those wait again whose rows are free, and fails those that have waited too long. Pauses if nothing else waits. */
  async #lookAtBlocked(): Promise<void> {
    const nextAt = Math.min(...this.#blocked.map(({ notBefore }) => notBefore));
    if (this.#waiting.length === 0) await this.#pauseUntil(nextAt);
    if (performance.now() < nextAt) return;
    const asked = this.#blocked.map(({ commit }) => commit);
    // A database that cannot be reached has no locks: the next group finds out.
    const locked = new Set(await this.#writer.findLocked(asked).catch(() => []));
    const [now, blocked] = [performance.now(), this.#blocked];
    this.#blocked = [];
    const free: Waiting[] = [];
    for (const one of blocked) {
      if (now - one.askedAt >= writeMs) one.fail(notDone(new Error('another session holds a lock that a write needs')));
      else if (locked.has(one.commit)) {
        one.blocks = 0;
        this.#setAside(one, lookMs);
      } else if (one.notBefore > now || this.#blocked.some(({ commit }) => shareRow(commit, one.commit))) {
        this.#blocked.push(one);
      } else free.push(one);
    }
    this.#wait(free, 'first');
  }

  /** Resolves at a time of `performance.now()`, or when a commit arrives. */
  async #pauseUntil(time: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(0, time - performance.now()));
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }

  #wait(commits: readonly Waiting[], where: 'first' | 'last' = 'last'): void {
    for (const { commit, bytes } of commits) {
      this.#changes += commit.changes.length;
      this.#bytes += bytes;
    }
    if (where === 'last') this.#waiting.push(...commits);
    else this.#waiting.unshift(...commits);
  }
}

/** Returns whether two commits change a row in common. */
function shareRow(one: CommitRequest, other: CommitRequest): boolean {
  const rows = new Set(rowsOf(one));
  return rowsOf(other).some((row) => rows.has(row));
}

function rowsOf(commit: CommitRequest): readonly string[] {
  return commit.changes.map(({ key }) => entityKeyOf(tableKeyOf(commit), key));
}

/** Returns the approximate size of changes. Unit: bytes. */
function bytesOf(changes: readonly Change[]): number {
  let bytes = 0;
  for (const change of changes) {
    if (change.kind !== 'delete') for (const { json } of change.properties) bytes += json.length;
  }
  return bytes;
}
