import type { Change } from '../../../entity/stored/change.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { endOfTurn } from '../connection/end-of-turn.js';
import { notDone } from '../connection/failures.js';
import type { CommitResult, GroupResult, GroupWriter } from './group-writer.js';
import { type CommitRequest, entityKeyOf, tableKeyOf } from './judge-group.js';
import { writeMs } from './receipt-writer.js';

/** The counters of lanes, for the metrics. */
export interface LaneCounts {
  groups: number;
  commits: number;
  waitedMs: number;
}

/** The maximum size of a group, which has at least one commit. */
const groupMax = { changes: 1000, bytes: 8 * 1024 * 1024 };

/**
 * A group of this many changes is written without waiting for more: reading the requests takes longer than writing the changes, and the
 * database would sit idle meanwhile.
 */
const groupEnough = 50;

/** Further commits are rejected while this much waits. */
const waitingMax = { changes: 2000, bytes: 32 * 1024 * 1024 };

/** Time between two checks of locked rows. Unit: milliseconds. */
const lookMs = 100;

/** Maximum pause before the retry of a commit whose lock cannot be seen. It doubles until then. Unit: milliseconds. */
const pauseMsMax = 1600;

interface Waiting {
  /** The position in the order of arrival. */
  readonly order: number;
  readonly commit: CommitRequest;
  readonly bytes: number;
  readonly askedAt: number;
  readonly settle: (result: CommitResult) => void;
  readonly fail: (error: unknown) => void;
  /** The number of times that it was blocked, and the time of the next attempt. */
  blocks: number;
  notBefore: number;
}

/**
 * Commits in groups: the commits that arrive during a write form the next group. Commits of one partition go through one lane, so they are
 * judged in order of arrival.
 *
 * A commit to a row that another session has locked is set aside, with later ones to the same row, until the row is free. All others
 * continue.
 */
export class CommitLane {
  readonly #writer: GroupWriter;
  readonly #counts: LaneCounts;
  #waiting: Waiting[] = [];
  #changes = 0;
  #bytes = 0;
  /** Commits set aside, in order of arrival. */
  #blocked: Waiting[] = [];
  #arrived = 0;
  #running: Promise<void> | undefined;
  /** Ends the pause before the next check of locked rows. */
  #wake: (() => void) | undefined;
  /** Begins the next group; undefined unless it is waiting for more changes. */
  #begin: (() => void) | undefined;

  constructor(writer: GroupWriter, counts: LaneCounts) {
    this.#writer = writer;
    this.#counts = counts;
  }

  get waiting(): number {
    return this.#blocked.reduce((sum, { commit }) => sum + commit.changes.length, this.#changes);
  }

  /** Commits changes in order of arrival. Errors: StoreUnavailable, with their outcome. */
  commit(commit: CommitRequest): Promise<CommitResult> {
    const bytes = this.#blocked.reduce((sum, one) => sum + one.bytes, this.#bytes);
    const isFull = this.waiting >= waitingMax.changes || bytes >= waitingMax.bytes;
    // Ignores the size of this commit: one of any size must be possible when nothing waits.
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
      // With a constant number of clients, half of them wait while the changes of the others are written.
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
      // Sends the answers of the last group while the database writes the next one.
      answer();
      answer = await this.#answerOf(group, written);
    }
    this.#running = undefined;
  }

  /** Waits until a group is written. Returns a function that answers its commits. */
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

  /** Resolves when a group has enough changes, or the turn ends. */
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

  /** Sets commits aside that share a row with an earlier blocked one. Returns the rest. */
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

  /** Requeues blocked commits whose rows are free, and fails those that have waited too long. Pauses if nothing else waits. */
  async #lookAtBlocked(): Promise<void> {
    const nextAt = Math.min(...this.#blocked.map(({ notBefore }) => notBefore));
    if (this.#waiting.length === 0) await this.#pauseUntil(nextAt);
    if (performance.now() < nextAt) return;
    const asked = this.#blocked.map(({ commit }) => commit);
    // An unreachable database counts as without locks; the next group reports it.
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

/** Whether two commits change a common row. */
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
