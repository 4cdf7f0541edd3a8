import type { Engine, RecordChange } from './engine.js';

/** What a queue needs besides its engine. */
export interface CommitQueueOptions {
  /** Returns a record to add to the next write batch, if any: the bound of the clock. */
  readonly extraRecord: () => RecordChange | undefined;
  /** Is called with the changes of each batch when it is written, before its writers are told. */
  readonly onWritten: (changes: readonly RecordChange[]) => void;
  /** Is called when a batch fails, before its writers are told. All waiting changes fail with it. */
  readonly onFailed: () => void;
  /** Where a batch must be stored to count as written: in the buffers of the operating system, or on disk. */
  readonly durability: 'os' | 'fsync';
}

/** The changes of one write batch. */
interface CommitGroup {
  readonly changes: RecordChange[];
  /**
   * The newest change of each record. Each batch has a map of its own: one for all that is never empty keeps its old tables, and
   * what they hold, until a full collection.
   */
  readonly newest: Map<string, RecordChange>;
  /** How many calls of `add` it has. */
  writers: number;
  /** Called in order when the batch is written, before its writers are told. */
  readonly effects: (() => void)[];
  readonly written: Promise<void>;
  readonly settle: (error?: unknown) => void;
}

/**
 * Writes records with group commit: one write batch is in progress, and the changes that arrive meanwhile form the next.
 *
 * A writer reads a record from `pending`, or from the engine if nothing is pending. It decides on that state and calls
 * `add` before it awaits anything. So decisions are made in arrival order, each on the result of those before it. If a
 * batch fails, all changes that wait fail too, because they were decided on writes that did not happen.
 *
 * All writes to the engine go through this queue. After a failed batch the engine's log is inconsistent: LevelDB would
 * append to it, but would not read past the failed write at the next start. So the queue rejects changes until the engine
 * is reopened.
 */
export class CommitQueue {
  readonly #engine: Engine;
  readonly #options: CommitQueueOptions;
  /** LevelDB's options for each batch. The engine in memory ignores them. */
  readonly #writeOptions: object;
  /** The newest change of each record in the batch in progress; undefined when it is written. */
  #unwritten: ReadonlyMap<string, RecordChange> | undefined;
  #waiting: CommitGroup | undefined;
  #current: CommitGroup | undefined;
  #writing: Promise<void> | undefined;
  /** Reads that wait until no batch is in progress. */
  #reads: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** Whether the last batch had the changes of one writer. */
  #isLone = false;

  constructor(engine: Engine, options: CommitQueueOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#writeOptions = { sync: options.durability === 'fsync' };
  }

  /** Returns the newest change of a record that is not written yet; undefined if there is none. */
  pending(key: string): RecordChange | undefined {
    return this.#waiting?.newest.get(key) ?? this.#unwritten?.get(key);
  }

  /** Whether a batch is in progress. */
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
  }

  /**
   * Adds changes to the next batch, which writes all of them or none. Resolves when they are written. Calls `effect` just
   * before that: readers see the changes not before the effect, and not later than the answer.
   */
  add(changes: readonly RecordChange[], effect?: () => void): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#waiting ??= startGroup();
    const group = this.#waiting;
    group.writers++;
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

  /** Resolves when nothing is being written and nothing waits. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeGroups(): Promise<void> {
    // Requests that arrived together form one batch: a batch costs as much as ten records. A lone writer does not wait for
    // them, but for its caller: `#writing` must be set before this function ends.
    await (this.#isLone ? undefined : new Promise((resolve) => setImmediate(resolve)));
    for (let group = this.#takeWaiting(); group; group = this.#takeWaiting()) {
      this.#current = group;
      this.#unwritten = group.newest;
      this.#isLone = group.writers === 1;
      try {
        await this.#write(group.changes);
        this.#options.onWritten(group.changes);
        this.#unwritten = undefined;
        for (const effect of group.effects) effect();
        group.settle();
      } catch (error) {
        this.#failure = { error };
        this.#unwritten = undefined;
        const waiting = this.#takeWaiting();
        this.#options.onFailed();
        group.settle(error);
        waiting?.settle(error);
      }
      this.#current = undefined;
      for (const read of this.#reads.splice(0)) read();
    }
    this.#writing = undefined;
  }

  /**
   * Writes one batch. Uses a chained batch, because a batch from an array costs three times as much. A batch of one record is
   * written without one, which saves the object and its finalizer. Source: docs/benchmarks.md.
   */
  #write(changes: readonly RecordChange[]): Promise<void> {
    const extra = this.#options.extraRecord();
    const [only] = changes;
    if (only && changes.length === 1 && !extra) return this.#writeOne(only);
    const batch = this.#engine.batch();
    for (const change of changes) addTo(batch, change);
    if (extra) addTo(batch, extra);
    return batch.write(this.#writeOptions);
  }

  #writeOne({ key, value }: RecordChange): Promise<void> {
    if (value === null) return this.#engine.del(key, this.#writeOptions);
    return this.#engine.put(key, value, this.#writeOptions);
  }

  #takeWaiting(): CommitGroup | undefined {
    const group = this.#waiting;
    this.#waiting = undefined;
    return group;
  }
}

function addTo(batch: ReturnType<Engine['batch']>, { key, value }: RecordChange): void {
  if (value === null) batch.del(key);
  else batch.put(key, value);
}

function startGroup(): CommitGroup {
  let settle: CommitGroup['settle'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Each writer handles the failure itself. Without this, a group that has no writers would end the process.
  written.catch(() => {});
  return { changes: [], newest: new Map(), writers: 0, effects: [], written, settle };
}
