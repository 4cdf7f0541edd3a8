import type { CommitLog } from './commit-log/commit-log.js';
import { LoggedChanges } from './commit-log/logged-changes.js';
import type { Engine, RecordChange } from './engine.js';
import { commitsKey } from './key-encoding.js';

/** What the batches need besides their engine. */
export interface EngineBatchesOptions {
  /** Returns a record to add to the next write, if any: the bound of the clock. */
  readonly extraRecord: () => RecordChange | undefined;
  /** Where a batch must be stored to count as written: in the buffers of the operating system, or on disk. */
  readonly durability: 'os' | 'fsync';
  /** Takes the changes of entities before the engine gets them; absent: the engine gets them at once. */
  readonly log?: CommitLog | undefined;
}

/** Writes batches to the engine, one at a time. Each has first what is only in the log. */
export class EngineBatches {
  /** What is written to the log, and maybe not to the engine. */
  readonly logged = new LoggedChanges();
  readonly #engine: Engine;
  readonly #options: EngineBatchesOptions;
  #last: number;

  constructor(engine: Engine, options: EngineBatchesOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#last = options.log?.last ?? 0;
  }

  /** The number of the last commit of the log that the engine has. */
  get last(): number {
    return this.#last;
  }

  /**
   * Writes what is in the log, then other changes. With `releases`, all of it is on disk then, and the log is freed. If it fails, what
   * is in the log waits for the next batch.
   *
   * Uses a chained batch, because a batch from an array costs three times as much. A batch of one record is written without one,
   * which saves the object and its finalizer. Source: docs/benchmarks.md.
   */
  async write(changes: readonly RecordChange[], releases: boolean): Promise<void> {
    const { logged } = this;
    const { log, durability, extraRecord } = this.#options;
    const extra = extraRecord();
    // LevelDB's options. The engine in memory ignores them.
    const options: object = { sync: durability === 'fsync' || releases };
    const [only] = changes;
    if (logged.waiting === 0 && only && changes.length === 1 && !extra && !releases) {
      return this.#writeOne(only, options);
    }
    const last = log?.last ?? 0;
    try {
      const batch = this.#engine.batch();
      if (logged.waiting > 0) {
        for (const change of logged.take()) addTo(batch, change);
        addTo(batch, { key: commitsKey, value: String(last) });
      }
      for (const change of changes) addTo(batch, change);
      if (extra) addTo(batch, extra);
      await batch.write(options);
    } catch (error) {
      logged.returnTaken();
      throw error;
    }
    logged.forgetTaken();
    this.#last = last;
    if (releases) log?.release(last);
  }

  /**
   * Looks what a reopened engine has. A batch that failed may be stored all the same, with newer changes of the same records. What the
   * log had before it must not replace them: only a part of its transactions would be left.
   */
  resume(): void {
    const { log } = this.#options;
    if (!log || Number(this.#engine.getSync(commitsKey) ?? 0) !== log.last) return;
    this.logged.clear();
    this.#last = log.last;
  }

  #writeOne({ key, value }: RecordChange, options: object): Promise<void> {
    if (value === null) return this.#engine.del(key, options);
    return this.#engine.put(key, value, options);
  }
}

function addTo(batch: ReturnType<Engine['batch']>, { key, value }: RecordChange): void {
  if (value === null) batch.del(key);
  else batch.put(key, value);
}
