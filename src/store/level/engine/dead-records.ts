import { compactable, compactRange, walkRange } from './compact-range.js';
import type { Engine, RecordChange } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import { decodeRecordKey, encodeDroppedKey, entityPrefix, kindRange, wholeTable } from './key-encoding.js';
import { SweptRanges, sweptMin } from './swept-ranges.js';

/** Number of tables that are swept concurrently, so that their deletes share write batches. */
const concurrentSweeps = 4;

/** Number of overwritten or deleted records of a table that triggers its compaction. */
const overwrittenMin = 20_000;

/** Existing tables are compacted when nothing was written for this time. Unit: milliseconds. */
const idleMs = 3000;

/** What the background work needs besides the engine. */
export interface DeadRecordsOptions {
  /** Writes changes through the commit queue, in one batch. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
  readonly gate: EngineGate;
  /** Resolves when the engine has everything that was written. */
  readonly catchUp: () => Promise<void>;
  /** Whether something still reads the rows of this id, which must stay until `wake`. */
  readonly isHeld: (id: string) => boolean;
  /** Throws while there is not enough free space for a compaction. */
  readonly checkFreeSpace: () => Promise<void>;
  /** Is called with errors. */
  readonly report: (error: unknown) => void;
}

/**
 * Removes dead records in the background. These are the entities of dropped tables, and the old records that deletes and
 * overwrites leave in LevelDB's files, which every scan must skip.
 *
 * - A dropped table is swept: its entities are deleted in small batches. Swept ranges are compacted soon afterwards.
 * - A table with many overwritten or deleted entities is compacted when nothing was written for a while.
 *
 * The record that marks a table as dropped is deleted last, so the work continues after a restart.
 */
export class DeadRecords {
  readonly #engine: Engine;
  readonly #options: DeadRecordsOptions;
  /** Tables that are not swept: the keys of their markers, and how many dead records their ranges had before the drop. */
  readonly #dropped = new Map<string, number>();
  readonly #swept: SweptRanges;
  /** The number of overwritten and deleted records of each existing table, by prefix. */
  readonly #overwritten = new Map<string, number>();
  /** Counts commits, so that idle work notices them. */
  #writes = 0;
  #areMarkersRead = false;
  #working: Promise<void> | undefined;
  /** Whether to work again when the current work ends. */
  #isWanted = false;
  #isPaused = false;
  #isStopped = false;
  #restTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, options: DeadRecordsOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#swept = new SweptRanges(engine, {
      // A compaction removes only what the engine has.
      write: (changes) => this.#writeToEngine(changes),
      gate: options.gate,
      hasFreeSpace: () => this.#hasFreeSpace(),
      continues: () => !this.#isPaused,
    });
  }

  /** Counts records of a table that a commit overwrites or deletes. */
  count(prefix: string, dead: number): void {
    this.#writes++;
    if (dead === 0 || !compactable(this.#engine)) return;
    const count = (this.#overwritten.get(prefix) ?? 0) + dead;
    this.#overwritten.set(prefix, count);
    if (count >= overwrittenMin) this.#scheduleIdleWork();
  }

  /** Sweeps a table, after its drop was written. */
  drop(account: string, tableId: string): void {
    const prefix = entityPrefix(account, tableId);
    this.#dropped.set(encodeDroppedKey(account, tableId), this.#overwritten.get(prefix) ?? 0);
    this.#overwritten.delete(prefix);
    this.#start();
  }

  /** Looks for rows that nothing reads any more. */
  wake(): void {
    if (this.#dropped.size > 0) this.#start();
  }

  /** Starts with the dropped tables that are marked in the engine. Must be called when the engine was opened. */
  resume(): void {
    this.#isPaused = this.#isStopped;
    this.#areMarkersRead = false;
    this.#swept.clear();
    this.#start();
  }

  /** Resolves when all dropped tables are swept and no compaction is in progress. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Stops using the engine until `resume`. Waits for the current step. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    clearTimeout(this.#restTimer);
    clearTimeout(this.#idleTimer);
    this.#restTimer = undefined;
    this.#idleTimer = undefined;
    await this.settled();
  }

  /** Pauses for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.pause();
  }

  /** Starts to work, or makes the current work repeat when it ends. */
  #start(): void {
    if (this.#isPaused) return;
    if (this.#working) {
      this.#isWanted = true;
      return;
    }
    this.#run(() => this.#work());
  }

  #run(work: () => Promise<void>): void {
    this.#isWanted = false;
    this.#working = work()
      .catch(this.#options.report)
      .finally(() => {
        this.#working = undefined;
        if (this.#isWanted) this.#start();
      });
  }

  async #work(): Promise<void> {
    await this.#readMarkers();
    for (let found = this.#sweepable(); found.length > 0; found = this.#sweepable()) {
      if (!(await this.#sweepSome(found))) return;
      await this.#compactSwept();
    }
    await this.#compactSwept();
  }

  async #readMarkers(): Promise<void> {
    if (this.#areMarkersRead) return;
    const markers = await this.#options.gate.read(() => this.#engine.keys(kindRange('dropped')).all());
    for (const marker of markers) {
      // How many records an earlier run has deleted is not known. The number is assumed to suffice for a compaction.
      if (!this.#dropped.has(marker)) this.#dropped.set(marker, sweptMin);
    }
    this.#areMarkersRead = true;
  }

  /** Returns the markers of the next tables to sweep. */
  #sweepable(): readonly string[] {
    const found: string[] = [];
    for (const marker of this.#dropped.keys()) {
      if (found.length < concurrentSweeps && !this.#options.isHeld(decodeRecordKey(marker).rest)) found.push(marker);
    }
    return found;
  }

  /** Sweeps tables. Returns false if a pause has interrupted it. */
  async #sweepSome(markers: readonly string[]): Promise<boolean> {
    const sweeps = markers.map((marker) => this.#sweep(marker, this.#dropped.get(marker) ?? 0));
    // If one fails, the others must end too before the engine may be closed.
    await Promise.allSettled(sweeps);
    return !(await Promise.all(sweeps)).includes(false);
  }

  /** Deletes the entities of a dropped table. Returns false if a pause has interrupted it. */
  async #sweep(marker: string, deadBefore: number): Promise<boolean> {
    // The last rows of the table may be in the tail alone.
    await this.#options.catchUp();
    const { account, rest: id } = decodeRecordKey(marker);
    const range = wholeTable(entityPrefix(account, id));
    const keepsMarker = (rows: number) => compactable(this.#engine) !== undefined && deadBefore + rows >= sweptMin;
    const continues = () => !this.#isPaused;
    const walked = await walkRange(
      { engine: this.#engine, gate: this.#options.gate },
      range,
      continues,
      async (keys, rows, isLast) => {
        const deleted = isLast && !keepsMarker(rows) ? [...keys, marker] : keys;
        if (deleted.length > 0) await this.#options.write(deleted.map((key) => ({ key, value: null })));
      },
    );
    if (!walked) return false;
    this.#dropped.delete(marker);
    const { rows, cuts } = walked;
    this.#swept.add({ ...range, dead: deadBefore + rows, cuts, ...(keepsMarker(rows) && { marker }) });
    return true;
  }

  /** Compacts swept ranges if enough records were deleted. Does so later if the last compaction was recent. */
  async #compactSwept(): Promise<void> {
    if (this.#isPaused || !this.#swept.isDue) return;
    const { waitMs } = this.#swept;
    if (waitMs === 0) {
      await this.#swept.compact();
      return;
    }
    this.#restTimer ??= setTimeout(() => {
      this.#restTimer = undefined;
      this.#start();
    }, waitMs).unref();
  }

  #scheduleIdleWork(): void {
    if (this.#idleTimer || this.#isPaused) return;
    const writes = this.#writes;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      if (writes === this.#writes && !this.#working) this.#run(() => this.#compactTables());
      else this.#scheduleIdleWork();
    }, idleMs).unref();
  }

  /** Compacts existing tables with many dead records. Postpones the rest when something is written. */
  async #compactTables(): Promise<void> {
    const writes = this.#writes;
    const continues = () => !this.#isPaused && writes === this.#writes;
    for (const [prefix, dead] of this.#overwritten) {
      if (dead < overwrittenMin || !(await this.#hasFreeSpace())) continue;
      const range = wholeTable(prefix);
      const walked = await walkRange({ engine: this.#engine, gate: this.#options.gate }, range, continues);
      if (
        !walked ||
        !(await compactRange(this.#engine, {
          ...range,
          cuts: walked.cuts,
          continues,
          write: (changes) => this.#writeToEngine(changes),
        }))
      ) {
        this.#scheduleIdleWork();
        return;
      }
      this.#overwritten.delete(prefix);
    }
  }

  async #writeToEngine(changes: readonly RecordChange[]): Promise<void> {
    await this.#options.write(changes);
    await this.#options.catchUp();
  }

  /**
   * Returns whether there is space to compact. LevelDB 1.20 ends the process if the disk becomes full while `compactRange` runs:
   * `CompactRange` returns after an error of another write, and `BackgroundCompaction` then uses what it has given up. What was
   * acknowledged is kept.
   */
  #hasFreeSpace(): Promise<boolean> {
    return this.#options.checkFreeSpace().then(
      () => true,
      () => false,
    );
  }
}
