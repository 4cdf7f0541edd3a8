import { type CommitGroup, startGroup, unitsOf } from './commit-group.js';
import type { Engine, RecordChange } from './engine.js';
import { EngineBatches, type EngineBatchesOptions } from './engine-batches.js';
import type { StoredRange } from './key-encoding.js';

/** How many changes the log may be ahead of the engine before the engine gets them. Ours: their batch holds no write up. */
const aheadMin = 512;

/** How many changes the log may be ahead of the engine at most. Ours: every scan looks at them. */
const aheadMax = 8192;

/** When the engine gets what is in the log, after the first change. Unit: milliseconds. Ours. */
const aheadMs = 100;

/** The longest texts that are written to the log at once. Unit: UTF-16 code units. Ours: more would hold the event loop up. */
const loggedUnitsMax = 256 * 1024;

/** What a queue needs besides its engine. */
export interface CommitQueueOptions extends EngineBatchesOptions {
  /** Is called with the changes of each batch when it is written, before its writers are told. */
  readonly onWritten: (changes: readonly RecordChange[]) => void;
  /** The same for changes that are written to the log. `logged` returns them until `onCatchUp` is called. */
  readonly onLogged?: (changes: readonly RecordChange[]) => void;
  /** Is called before the engine gets what is in the log. */
  readonly onCatchUp?: () => void;
  /** Is called when a batch fails, before its writers are told. All waiting changes fail with it. */
  readonly onFailed: () => void;
}

/**
 * Writes records with group commit: one write batch is in progress, and the changes that arrive meanwhile form the next.
 *
 * A writer reads a record from `pending`, or from the engine if nothing is pending. It decides on that state and calls
 * `add` before it awaits anything. So decisions are made in arrival order, each on the result of those before it. If a
 * batch fails, all changes that wait fail too, because they were decided on writes that did not happen.
 *
 * With a log, a group of changes of entities is written to the log instead, without a switch of threads. The engine gets such
 * changes later, many in one batch. Every batch has all of them: they come before what else is in it. Readers ask for them with
 * `logged` and `loggedIn`, before the engine.
 *
 * All writes to the engine go through this queue. After a failed batch the engine's log is inconsistent: LevelDB would
 * append to it, but would not read past the failed write at the next start. So the queue rejects changes until the engine
 * is reopened.
 */
export class CommitQueue {
  readonly #batches: EngineBatches;
  readonly #options: CommitQueueOptions;
  /** The newest change of each record in the batch in progress, without those of the log; undefined when it is written. */
  #unwritten: ReadonlyMap<string, RecordChange> | undefined;
  #waiting: CommitGroup | undefined;
  #current: CommitGroup | undefined;
  #writing: Promise<void> | undefined;
  #catchingUp: Promise<void> | undefined;
  #catchUpTimer: NodeJS.Timeout | undefined;
  /** Whether the next batch must free the space of the log. */
  #mustRelease = false;
  /** Reads that wait until no batch is in progress. */
  #reads: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isStopped = false;
  /** Whether the last group had the changes of one writer, and no other has come in the same turn of the event loop. */
  #isLone = false;

  constructor(engine: Engine, options: CommitQueueOptions) {
    this.#batches = new EngineBatches(engine, options);
    this.#options = options;
  }

  /** Returns the newest change of a record that the engine may not have yet; undefined if there is none. */
  pending(key: string): RecordChange | undefined {
    return this.#waiting?.newest.get(key) ?? this.#unwritten?.get(key) ?? this.logged(key);
  }

  /** Returns the newest change of a record that is written, but only to the log; undefined if there is none. */
  logged(key: string): RecordChange | undefined {
    return this.#batches.logged.get(key);
  }

  /** Returns the newest changes of a range that are written, but only to the log, in the order of their keys. */
  loggedIn(range: StoredRange): readonly RecordChange[] {
    return this.#batches.logged.within(range);
  }

  /** Whether a batch is in progress that readers must not see half of. */
  get isWriting(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Calls a read between the batch in progress and the next one.
   *
   * While a batch is in progress, the engine may have it already, but the cache gets it later, with `onWritten`. A read
   * that uses both could return half of a transaction. A snapshot for each batch would allow such reads at once, but costs
   * a single write a quarter of its time.
   */
  readBetween<T>(read: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reads.push(() => {
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Whether a batch has failed since the engine was opened. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Accepts changes again, after the engine was reopened. */
  resume(): void {
    this.#failure = undefined;
    this.#batches.resume();
    // The disk may have been full.
    this.#mustRelease = this.#options.log !== undefined;
    if (this.#batches.logged.waiting > 0) this.#catchUpLater();
  }

  /**
   * Adds changes to the next batch, which writes all of them or none. Resolves when they are written. Calls `effect` just
   * before that: readers see the changes not before the effect, and not later than the answer.
   *
   * `mayLog` tells that the changes are of entities, and that all readers of them look into the log.
   */
  add(changes: readonly RecordChange[], effect?: () => void, mayLog = false): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#isStopped) return Promise.reject(new Error('the store is closed'));
    const units = mayLog ? unitsOf(changes) : 0;
    if (mayLog && this.#isLone && !this.#writing && this.#hasRoom(units)) return this.#writeAlone(changes, effect);
    this.#waiting ??= startGroup();
    const group = this.#waiting;
    group.writers++;
    group.mayLog &&= mayLog;
    group.units += units;
    for (const change of changes) {
      group.changes.push(change);
      group.newest.set(change.key, change);
    }
    if (effect) group.effects.push(effect);
    this.#writing ??= this.#writeGroups();
    return group.written;
  }

  /** Resolves when everything added so far is written. Fails if it cannot be written. */
  async settled(): Promise<void> {
    await (this.#waiting ?? this.#current)?.written;
  }

  /** Rejects changes from now on, and drains. A change that comes later would be lost with the log. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.drain();
  }

  /** Resolves when nothing is being written and nothing waits. The engine may still lack what is in the log. */
  async drain(): Promise<void> {
    clearTimeout(this.#catchUpTimer);
    this.#catchUpTimer = undefined;
    while (this.#writing || this.#catchingUp) await (this.#writing ?? this.#catchingUp);
  }

  /** Resolves when the engine has everything that was in the log. Errors: why it cannot be written. */
  async catchUp(): Promise<void> {
    const last = this.#options.log?.last ?? 0;
    while (this.#batches.last < last) {
      // A group that is being written has everything that was in the log before it.
      await (this.#current?.written.catch(() => {}) ?? this.#catchUp());
      if (this.#failure) throw this.#failure.error;
    }
  }

  async #writeGroups(): Promise<void> {
    // Requests that arrived together form one batch: a batch costs as much as ten records. A lone writer does not wait for
    // them, but for its caller: `#writing` must be set before this function ends.
    await (this.#isLone ? undefined : new Promise((resolve) => setImmediate(resolve)));
    for (let group = this.#takeWaiting(); group; group = this.#takeWaiting()) {
      this.#isLone = group.writers === 1;
      if (group.mayLog && this.#hasRoom(group.units)) this.#writeToLog(group);
      else await this.#writeToEngine(group);
      for (const read of this.#reads.splice(0)) read();
    }
    this.#writing = undefined;
  }

  /** Whether the log takes changes of this length. */
  #hasRoom(units: number): boolean {
    const { log } = this.#options;
    if (!log || log.isFull || log.isResting || this.#mustRelease || this.#failure) return false;
    return this.#batches.logged.waiting < aheadMax && units <= loggedUnitsMax;
  }

  /** Writes the changes of one writer to the log, without a group. */
  #writeAlone(changes: readonly RecordChange[], effect: (() => void) | undefined): Promise<void> {
    this.#isLone = false;
    setImmediate(() => {
      this.#isLone ||= !this.#writing;
    });
    try {
      this.#log(changes);
    } catch (error) {
      this.#fail(error);
      return Promise.reject(error);
    }
    effect?.();
    return Promise.resolve();
  }

  #writeToLog(group: CommitGroup): void {
    try {
      this.#log(group.changes);
    } catch (error) {
      this.#fail(error);
      group.settle(error);
      return;
    }
    for (const effect of group.effects) effect();
    group.settle();
  }

  /** Writes changes to the log, and to the cache. */
  #log(changes: readonly RecordChange[]): void {
    if (changes.length === 0) return;
    const extra = this.#options.extraRecord();
    this.#options.log?.append(extra ? [...changes, extra] : changes);
    for (const change of changes) this.#batches.logged.add(change);
    if (extra) this.#batches.logged.add(extra);
    this.#options.onLogged?.(changes);
    if (this.#batches.logged.waiting >= aheadMin || this.#options.log?.isLarge) void this.#catchUp();
    else this.#catchUpLater();
  }

  #catchUpLater(): void {
    this.#catchUpTimer ??= setTimeout(() => {
      this.#catchUpTimer = undefined;
      if (!this.#failure) void this.#catchUp();
    }, aheadMs).unref();
  }

  /** Gives the engine what is in the log, in a batch of its own. Never rejects: a failure is that of the queue. */
  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#writeAhead().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #writeAhead(): Promise<void> {
    // The batch of a group has everything that is in the log, too. After a failure the engine must be reopened first.
    if (this.#failure || this.#current || this.#batches.logged.waiting === 0) return;
    const releases = this.#options.log?.isLarge ?? false;
    if (releases) this.#options.log?.turn();
    this.#options.onCatchUp?.();
    try {
      await this.#batches.write([], releases);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #writeToEngine(group: CommitGroup): Promise<void> {
    this.#current = group;
    this.#unwritten = group.newest;
    try {
      while (this.#catchingUp) await this.#catchingUp;
      if (this.#failure) throw this.#failure.error;
      this.#options.onCatchUp?.();
      await this.#batches.write(group.changes, this.#mustRelease || (this.#options.log?.isFull ?? false));
      this.#mustRelease = false;
      this.#options.onWritten(group.changes);
      this.#unwritten = undefined;
      for (const effect of group.effects) effect();
      group.settle();
    } catch (error) {
      this.#unwritten = undefined;
      this.#fail(error);
      group.settle(error);
    }
    this.#current = undefined;
  }

  /** Rejects changes from now on. Those that wait fail, too. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    const waiting = this.#takeWaiting();
    this.#options.onFailed();
    waiting?.settle(error);
  }

  #takeWaiting(): CommitGroup | undefined {
    const group = this.#waiting;
    this.#waiting = undefined;
    return group;
  }
}
