import type { Change } from '../../../entity/stored/change.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { endOfTurn } from '../connection/end-of-turn.js';
import type { CommitResult, GroupWriter } from './group-writer.js';
import type { AskedCommit } from './judge-group.js';

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

/** If more than this waits, further commits are refused at once. */
const waitingMax = { changes: 2000, bytes: 32 * 1024 * 1024 };

interface Waiting {
  readonly commit: AskedCommit;
  readonly bytes: number;
  readonly askedAt: number;
  readonly settle: (result: CommitResult) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Commits in groups: while one group is being written, the commits that arrive form the next one. Commits of one
 * partition go through one lane, so they are judged in the order in which they arrive.
 */
export class CommitLane {
  readonly #writer: GroupWriter;
  readonly #counts: LaneCounts;
  #waiting: Waiting[] = [];
  #changes = 0;
  #bytes = 0;
  #running: Promise<void> | undefined;
  /** Begins the next group; undefined if none is to begin. */
  #begin: (() => void) | undefined;

  constructor(writer: GroupWriter, counts: LaneCounts) {
    this.#writer = writer;
    this.#counts = counts;
  }

  /** How many changes wait. */
  get waiting(): number {
    return this.#changes;
  }

  /** Commits changes in their turn. Errors: StoreUnavailable, with what became of them. */
  commit(commit: AskedCommit): Promise<CommitResult> {
    const isFull = this.#changes >= waitingMax.changes || this.#bytes >= waitingMax.bytes;
    // A commit of any size must be possible when nothing waits.
    if (isFull) return Promise.reject(new StoreUnavailable('not-done', 'Too many changes wait for the database.'));
    return new Promise((settle, fail) => {
      this.#wait([{ commit, bytes: bytesOf(commit.changes), askedAt: performance.now(), settle, fail }]);
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
      if (this.#waiting.length === 0) break;
      last = this.#changes;
      const group = this.#take();
      last -= this.#changes;
      const written = this.#writer.commit(group.map(({ commit }) => commit));
      // The database writes the next group while the answers of the last one are sent.
      answer();
      answer = await this.#answerOf(group, written);
    }
    this.#running = undefined;
  }

  /** Waits until a group is written. Returns what answers its commits. */
  async #answerOf(group: Waiting[], written: Promise<readonly CommitResult[]>): Promise<() => void> {
    try {
      const results = await written;
      this.#wait(group.splice(results.length), 'first');
      this.#counts.groups++;
      this.#counts.commits += group.length;
      return () => {
        for (const [at, { settle }] of group.entries()) settle(results[at] as CommitResult);
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

  /** Takes the commits of the next group. */
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
    const group = this.#waiting.splice(0, taken);
    const now = performance.now();
    for (const { askedAt } of group) this.#counts.waitedMs += now - askedAt;
    return group;
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

/** Returns the approximate size of changes. Unit: bytes. */
function bytesOf(changes: readonly Change[]): number {
  let bytes = 0;
  for (const change of changes) {
    if (change.kind !== 'delete') for (const { json } of change.properties) bytes += json.length;
  }
  return bytes;
}
