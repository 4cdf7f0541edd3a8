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

/** Number of deleted records of dropped tables that triggers a compaction. They slow a read next to them by about 0.1 ms. Source: docs/benchmarks.md. */
const sweptMin = 1000;

/** Ranges with fewer deleted records are not compacted until adjacent ranges are swept too. */
const groupMin = 250;

/** Maximum number of such ranges to remember. LevelDB compacts older ones at some time by itself. */
const smallRangesMax = 1000;

/** Number of overwritten or deleted records of an existing table that triggers its compaction. */
const overwrittenMin = 20_000;

/** Existing tables are compacted when nothing was written for this time. Unit: milliseconds. */
const idleMs = 3000;

/** The time between two compactions, as a multiple of the duration of the first one. */
const restFactor = 2;

/** The dependencies of the background work, except the engine. */
interface DeadRecordsOptions {
  /** Writes changes through the commit queue, in one batch. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
  readonly gate: EngineGate;
  /** Resolves when the engine has everything that was written. */
  readonly catchUp: () => Promise<void>;
  /** Whether something still reads the rows of this id, which must stay until `wake`. */
  readonly isHeld: (id: string) => boolean;
  /** Throws while there is not enough free space for a compaction. */
  readonly checkFreeSpace: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

/**
 * Removes dead records in the background. These are the entities of dropped tables, and the old records that deletes and
 * overwrites leave in LevelDB's files, which every scan must skip.
 *
 * - A dropped table is swept: its entities are deleted in small steps, and each slice is compacted after its last step. Of
 *   small tables, ranges without a living record between them are compacted together, when there are enough.
 * - An existing table with many overwritten or deleted entities is compacted when nothing was written for a while.
 *
 * The record that marks a table as dropped is deleted last, so the work continues after a restart.
 */
export class DeadRecords extends BackgroundWork {
  readonly #engine: Engine;
  readonly #options: DeadRecordsOptions;
  /** Tables that are not swept: the keys of their markers, and how many dead records their ranges have. */
  readonly #dropped = new Map<string, number>();
  /** The number of overwritten and deleted records of each existing table, by prefix. */
  readonly #overwritten = new Map<string, number>();
  /** Swept ranges that are too small to be compacted alone. */
  #small: SweptRange[] = [];
  /** The number of dead records in small ranges that were added since the last compaction of such ranges. */
  #smallDead = 0;
  /** Counts commits, so that idle work notices them. */
  #writes = 0;
  #areMarkersRead = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Whether nothing was written for a while, so that existing tables can be compacted. */
  #isIdle = false;
  /** How long the current compaction has taken. Unit: milliseconds. */
  #compactedMs = 0;
  #endRest = () => {};

  /** Must be woken when something lets go of rows. */
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

  /** Sweeps a table, after its drop was written. */
  drop(account: string, tableId: string): void {
    const prefix = entityPrefix(account, tableId);
    this.#dropped.set(encodeDroppedKey(account, tableId), this.#overwritten.get(prefix) ?? 0);
    this.#overwritten.delete(prefix);
    this.wake();
  }

  /** Starts with the dropped tables that are marked in the engine. Must be called when the engine was opened. */
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
      // The last rows of the tables may be in the tail alone.
      await this.#options.catchUp();
      for (const marker of found) if (!(await this.#sweep(marker))) return;
      await this.#compactSmall();
    }
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

  #sweepable(): readonly string[] {
    return [...this.#dropped.keys()].filter((marker) => !this.#options.isHeld(decodeRecordKey(marker).rest));
  }

  /** Deletes the entities of a dropped table. Returns false if a pause has interrupted it, or if there is no space for a compaction. */
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

  /** Compacts existing tables with many dead records. Postpones the rest when something is written. */
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

  /** Compacts a slice of a range, unless a pause has begun or there is no space for it. Returns whether it did. */
  async #compactSlice({ gte, lt }: StoredRange): Promise<boolean> {
    if (this.isPaused || !(await this.#hasFreeSpace())) return false;
    // A compaction removes only what the engine has.
    await this.#options.catchUp();
    const begun = performance.now();
    await compactable(this.#engine)?.compactRange(gte, lt);
    this.#compactedMs += performance.now() - begun;
    return !this.isPaused;
  }

  /**
   * Ends the compaction of a range of which all slices are compacted, and rests. Deletes other keys, too. Neither end of the range
   * may be the key of an entity.
   *
   * LevelDB drops a deleted record when it merges a file into the level below it. It never rewrites the lowest level, and a
   * write buffer may have been written there directly, with deleted records in it. So both ends of the range are deleted. That
   * creates a newer file over the same range, and another compaction merges the two.
   */
  async #endCompaction(range: StoredRange, others: readonly string[] = []): Promise<void> {
    await this.#options.write([range.gte, range.lt, ...others].map((key) => ({ key, value: null })));
    await this.#compactSlice(range);
    const ms = restFactor * this.#compactedMs;
    this.#compactedMs = 0;
    await this.#rest(ms);
  }

  /** Waits for some milliseconds, or until a pause. */
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

/** A range whose records were deleted, and how many these were. */
interface SweptRange extends StoredRange {
  readonly dead: number;
}

/** Groups ranges that have no living records between them. Both groups and ranges are in key order. */
async function groupRanges(
  engine: Engine,
  gate: EngineGate,
  ranges: readonly SweptRange[],
): Promise<readonly SweptRange[][]> {
  const sorted = [...ranges].sort((a, b) => (a.gte < b.gte ? -1 : 1));
  const groups: SweptRange[][] = [];
  for (let at = 0; at < sorted.length; ) {
    // This read skips the deleted records of the current group, but not those of other groups.
    const options = { gte: sorted[at]?.lt ?? '', limit: 1 };
    const [living] = await gate.read(() => engine.keys(options).all());
    const next = sorted.findIndex(({ gte }, index) => index > at && living !== undefined && gte > living);
    const end = next < 0 ? sorted.length : next;
    groups.push(sorted.slice(at, end));
    at = end;
  }
  return groups;
}
