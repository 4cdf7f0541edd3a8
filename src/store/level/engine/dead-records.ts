import { BackgroundWork } from './background-work.js';
import { compactable, walkRange } from './compact-range.js';
import type { Engine, RecordChange } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import {
  decodeRecordKey,
  encodeDroppedKey,
  entityPrefix,
  kindRange,
  type StoredRange,
  wholeTable,
} from './key-encoding.js';

/** Number of deleted records that triggers a compaction: they slow a nearby read by about 0.1 ms. Source: docs/benchmarks.md. */
const sweptMin = 1000;

/** Ranges with fewer deleted records are not compacted until adjacent ranges are swept too. */
const groupMin = 250;

/** Maximum number of such ranges to remember. LevelDB eventually compacts older ones by itself. */
const smallRangesMax = 1000;

/** Number of overwritten or deleted records of an existing table that triggers its compaction. */
const overwrittenMin = 20_000;

/** Existing tables are compacted after this time without writes. Unit: milliseconds. */
const idleMs = 3000;

/** The time between two compactions, as a multiple of the duration of the first one. */
const restFactor = 2;

/** The dependencies of the background work, except the engine. */
interface DeadRecordsOptions {
  /** Writes changes through the commit queue, in one batch. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
  readonly gate: EngineGate;
  /** Resolves when the engine has all writes. */
  readonly catchUp: () => Promise<void>;
  /** Whether the rows of this id still have a reader, and must stay until `wake`. */
  readonly isHeld: (id: string) => boolean;
  /** Throws while there is not enough free space for a compaction. */
  readonly checkFreeSpace: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

/**
 * Removes dead records in the background: the entities of dropped tables, and the old records that deletes and overwrites leave in
 * LevelDB's files, which every scan must skip.
 *
 * - A dropped table is swept: its entities are deleted in small steps, and each slice is compacted after its last step. Small tables
 *   without a living record between them are compacted together, once there are enough.
 * - An existing table with many overwritten or deleted entities is compacted after a while without writes.
 *
 * The marker of a dropped table is deleted last, so the work continues after a restart.
 */
export class DeadRecords extends BackgroundWork {
  readonly #engine: Engine;
  readonly #options: DeadRecordsOptions;
  /** The number of dead records of each dropped table that is not yet swept, by the key of its marker. */
  readonly #dropped = new Map<string, number>();
  /** The number of overwritten and deleted records of each existing table, by prefix. */
  readonly #overwritten = new Map<string, number>();
  /** Swept ranges that are too small for a compaction of their own. */
  #small: SweptRange[] = [];
  /** The number of dead records in the small ranges since the last compaction of such ranges. */
  #smallDead = 0;
  /** Counts commits, so that idle work notices them. */
  #writes = 0;
  #areMarkersRead = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Whether writes have paused for long enough to compact existing tables. */
  #isIdle = false;
  /** The duration of the current compaction so far. Unit: milliseconds. */
  #compactedMs = 0;
  #endRest = () => {};

  /** Must be woken when a hold on rows ends. */
  constructor(engine: Engine, options: DeadRecordsOptions) {
    super(() => this.#removeDead(), options.report);
    this.#engine = engine;
    this.#options = options;
  }

  /** Counts records of a table that a commit overwrites or deletes. */
  count(prefix: string, dead: number): void {
    this.#writes++;
    if (dead === 0 || !compactable(this.#engine)) return;
    const count = (this.#overwritten.get(prefix) ?? 0) + dead;
    this.#overwritten.set(prefix, count);
    if (count >= overwrittenMin) this.#scheduleIdleWork();
  }

  /** Sweeps a table. Its drop must be written. */
  drop(account: string, tableId: string): void {
    const prefix = entityPrefix(account, tableId);
    this.#dropped.set(encodeDroppedKey(account, tableId), this.#overwritten.get(prefix) ?? 0);
    this.#overwritten.delete(prefix);
    this.wake();
  }

  /** Starts with the dropped tables that are marked in the engine. Must be called after the engine was opened. */
  override resume(): void {
    this.#areMarkersRead = false;
    super.resume();
  }

  override pause(): Promise<void> {
    const paused = super.pause();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    this.#endRest();
    return paused;
  }

  async #removeDead(): Promise<void> {
    await this.#readMarkers();
    await this.#sweepDropped();
    if (!this.#isIdle) return;
    this.#isIdle = false;
    await this.#compactTables();
  }

  async #sweepDropped(): Promise<void> {
    for (let found = this.#sweepable(); found.length > 0; found = this.#sweepable()) {
      // The last rows of the tables may be only in the tail.
      await this.#options.catchUp();
      for (const marker of found) if (!(await this.#sweep(marker))) return;
      await this.#compactSmall();
    }
  }

  async #readMarkers(): Promise<void> {
    if (this.#areMarkersRead) return;
    const markers = await this.#options.gate.read(() => this.#engine.keys(kindRange('dropped')).all());
    for (const marker of markers) {
      // The number of records that an earlier run has deleted is unknown, and assumed to suffice for a compaction.
      if (!this.#dropped.has(marker)) this.#dropped.set(marker, sweptMin);
    }
    this.#areMarkersRead = true;
  }

  #sweepable(): readonly string[] {
    return [...this.#dropped.keys()].filter((marker) => !this.#options.isHeld(decodeRecordKey(marker).rest));
  }

  /** Deletes the entities of a dropped table. Returns false if a pause or a lack of disk space interrupted it. */
  async #sweep(marker: string): Promise<boolean> {
    const { account, rest: id } = decodeRecordKey(marker);
    const range = wholeTable(entityPrefix(account, id));
    const { gate, write } = this.#options;
    let dead = this.#dropped.get(marker) ?? 0;
    const isSmall = () => dead < sweptMin || !compactable(this.#engine);
    const isDone = await walkRange({ engine: this.#engine, gate }, range, {
      continues: () => !this.isPaused,
      take: async (keys, isLast) => {
        dead += keys.length;
        this.#dropped.set(marker, dead);
        const deleted = isLast && isSmall() ? [...keys, marker] : keys;
        if (deleted.length > 0) await write(deleted.map((key) => ({ key, value: null })));
      },
      endSlice: async (slice) => isSmall() || this.#compactSlice(slice),
    });
    if (!isDone) return false;
    if (!isSmall()) await this.#endCompaction(range, [marker]);
    if (dead > 0 && dead < sweptMin && compactable(this.#engine)) {
      this.#small.push({ ...range, dead });
      this.#smallDead += dead;
    }
    this.#dropped.delete(marker);
    return true;
  }

  async #compactSmall(): Promise<void> {
    if (this.#smallDead < sweptMin) return;
    this.#smallDead = 0;
    const left: SweptRange[] = [];
    for (const group of await groupRanges(this.#engine, this.#options.gate, this.#small)) {
      const [first, last] = [group[0], group.at(-1)];
      const dead = group.reduce((sum, range) => sum + range.dead, 0);
      const range = { gte: first?.gte ?? '', lt: last?.lt ?? '' };
      const isDone = dead >= groupMin && (await this.#compactSlice(range));
      if (isDone) await this.#endCompaction(range);
      else left.push(...group);
    }
    this.#small = left.slice(-smallRangesMax);
  }

  #scheduleIdleWork(): void {
    if (this.#idleTimer || this.isPaused) return;
    const writes = this.#writes;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      this.#isIdle = writes === this.#writes;
      if (this.#isIdle) this.wake();
      else this.#scheduleIdleWork();
    }, idleMs).unref();
  }

  /** Compacts existing tables with many dead records. Writes postpone the rest. */
  async #compactTables(): Promise<void> {
    const writes = this.#writes;
    const continues = () => !this.isPaused && !this.isWanted && writes === this.#writes;
    for (const [prefix, dead] of this.#overwritten) {
      if (dead < overwrittenMin) continue;
      const range = wholeTable(prefix);
      const isCompacted = await walkRange({ engine: this.#engine, gate: this.#options.gate }, range, {
        continues,
        endSlice: async (slice) => continues() && this.#compactSlice(slice),
      });
      if (!isCompacted || !continues()) return this.#scheduleIdleWork();
      await this.#endCompaction(range);
      this.#overwritten.delete(prefix);
    }
  }

  /** Compacts a slice of a range, unless the work is paused or the disk lacks space. Returns whether it did. */
  async #compactSlice({ gte, lt }: StoredRange): Promise<boolean> {
    if (this.isPaused || !(await this.#hasFreeSpace())) return false;
    // A compaction removes only records that the engine has.
    await this.#options.catchUp();
    const begun = performance.now();
    await compactable(this.#engine)?.compactRange(gte, lt);
    this.#compactedMs += performance.now() - begun;
    return !this.isPaused;
  }

  /**
   * Ends the compaction of a range whose slices are compacted, deletes other keys, too, and rests. Neither end of the range may be the
   * key of an entity.
   *
   * LevelDB drops a deleted record when it merges a file into the level below. It never rewrites the lowest level, and may have written a
   * buffer there directly, with its deleted records. Deleting both ends of the range creates a newer file over it, and another
   * compaction merges the two.
   */
  async #endCompaction(range: StoredRange, others: readonly string[] = []): Promise<void> {
    await this.#options.write([range.gte, range.lt, ...others].map((key) => ({ key, value: null })));
    await this.#compactSlice(range);
    const ms = restFactor * this.#compactedMs;
    this.#compactedMs = 0;
    await this.#rest(ms);
  }

  async #rest(ms: number): Promise<void> {
    if (ms <= 0 || this.isPaused) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#endRest = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /**
   * Whether there is space to compact. LevelDB 1.20 ends the process if the disk becomes full while `compactRange` runs: `CompactRange`
   * returns after the error of another write, and `BackgroundCompaction` then uses its discarded request. Acknowledged writes are kept.
   */
  #hasFreeSpace(): Promise<boolean> {
    return this.#options.checkFreeSpace().then(
      () => true,
      () => false,
    );
  }
}

/** A range of deleted records, and their number. */
interface SweptRange extends StoredRange {
  readonly dead: number;
}

/** Groups ranges without living records between them. Groups and ranges are in key order. */
async function groupRanges(
  engine: Engine,
  gate: EngineGate,
  ranges: readonly SweptRange[],
): Promise<readonly SweptRange[][]> {
  const sorted = [...ranges].sort((a, b) => (a.gte < b.gte ? -1 : 1));
  const groups: SweptRange[][] = [];
  for (let at = 0; at < sorted.length; ) {
    // This read skips deleted records of the current group only.
    const options = { gte: sorted[at]?.lt ?? '', limit: 1 };
    const [living] = await gate.read(() => engine.keys(options).all());
    const next = sorted.findIndex(({ gte }, index) => index > at && living !== undefined && gte > living);
    const end = next < 0 ? sorted.length : next;
    groups.push(sorted.slice(at, end));
    at = end;
  }
  return groups;
}
