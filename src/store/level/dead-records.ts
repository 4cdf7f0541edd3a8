import { clearRange, compactable, type DeadRange, walkRange } from './clear-range.js';
import type { Engine, RecordChange } from './engine.js';
import { decodeRecordKey, encodeDroppedKey, encodeRange, entityPrefix, kindRange } from './key-encoding.js';

/** So many swept records slow a read of a neighbor by about a tenth of a millisecond. Source: docs/benchmarks.md. */
const sweptMin = 1000;

/** Tables that are swept at once, so that their deletes share batches and sweeps keep up with drops. */
const sweptAtOnce = 4;

/** Fewer swept records without a living one between them are left until their neighbors go, too. */
const groupMin = 250;

/** The most swept ranges remembered; the oldest are left to LevelDB. */
const sweptRangesMax = 1000;

/** So many overwritten or deleted records of a table are worth a compaction of it. */
const overwrittenMin = 20_000;

/** Tables that live are compacted when nothing was written for this long. Unit: milliseconds. */
const idleMs = 3000;

/** After a compaction of swept ranges, the next one waits for this many times its duration. */
const restFactor = 2;

/** What the work needs beside the engine. */
export interface DeadRecordsOptions {
  /** Writes changes in one batch, by the way that all writes take. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
  /** Fails while the disk has no room for a compaction. */
  readonly checkRoom: () => Promise<void>;
  /** Hears of faults. */
  readonly report: (error: unknown) => void;
}

/** A range whose records were deleted, with the note that is kept until it is compacted, if any. */
interface SweptRange extends DeadRange {
  readonly dead: number;
  readonly cuts: readonly string[];
  readonly note?: string;
}

/**
 * Removes dead records in the background: the entities of dropped tables, and what deletes and overwrites leave in
 * LevelDB's files, which every scan that comes by must step over.
 *
 * - A dropped table is swept: its entities are deleted, a few at a time. Swept ranges are compacted soon.
 * - A table with many overwritten or deleted entities is compacted when nothing was written for a while.
 *
 * The note of a dropped table is deleted last, so the work goes on at the next start.
 */
export class DeadRecords {
  readonly #engine: Engine;
  readonly #options: DeadRecordsOptions;
  /** Dropped tables that are not swept: the keys of their notes, and how many dead records their ranges had before. */
  readonly #dropped = new Map<string, number>();
  #swept: SweptRange[] = [];
  /** Swept records since the last compaction. */
  #sweptDead = 0;
  /** When swept ranges may be compacted next. Unit: milliseconds, of the monotonic clock. */
  #notBefore = 0;
  /** Overwritten and deleted records by the prefix of their table; tables that live only. */
  readonly #overwritten = new Map<string, number>();
  /** Grows with every write, so that idle work sees that it is not alone. */
  #writes = 0;
  #areNotesRead = false;
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isHalted = false;
  #isStopped = false;
  #restTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, options: DeadRecordsOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Counts records of a table that a write overwrites or deletes. */
  note(prefix: string, dead: number): void {
    this.#writes++;
    if (dead === 0 || !compactable(this.#engine)) return;
    const count = (this.#overwritten.get(prefix) ?? 0) + dead;
    this.#overwritten.set(prefix, count);
    if (count >= overwrittenMin) this.#scheduleIdleWork();
  }

  /** Sweeps a table whose drop is written. */
  drop(account: string, tableId: string): void {
    const prefix = entityPrefix(account, tableId);
    this.#dropped.set(encodeDroppedKey(account, tableId), this.#overwritten.get(prefix) ?? 0);
    this.#overwritten.delete(prefix);
    this.#start();
  }

  /** Begins with what the engine has noted: it was opened. */
  resume(): void {
    this.#isHalted = this.#isStopped;
    this.#areNotesRead = false;
    this.#dropped.clear();
    this.#swept = [];
    this.#sweptDead = 0;
    this.#start();
  }

  /** Resolves when no dropped table waits to be swept and nothing is being compacted. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Uses the engine no more until `resume`. Waits for the step that is under way. */
  async pause(): Promise<void> {
    this.#isHalted = true;
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

  /** Begins to work, or has the present work look once more when it is done. */
  #start(): void {
    if (this.#isHalted) return;
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
    await this.#readNotes();
    while (this.#dropped.size > 0) {
      if (!(await this.#sweepSome())) return;
      await this.#compactSwept();
    }
    await this.#compactSwept();
  }

  /** Sweeps the next tables. Returns false where that was ended early. */
  async #sweepSome(): Promise<boolean> {
    const sweeps: Promise<boolean>[] = [];
    for (const [note, deadBefore] of this.#dropped) {
      sweeps.push(this.#sweep(note, deadBefore));
      if (sweeps.length === sweptAtOnce) break;
    }
    // Where one fails, the others must have ended, too, before the engine may be closed.
    await Promise.allSettled(sweeps);
    return !(await Promise.all(sweeps)).includes(false);
  }

  async #readNotes(): Promise<void> {
    if (this.#areNotesRead) return;
    const notes = await this.#engine.keys(kindRange('dropped')).all();
    for (const note of notes) {
      // What an earlier run has deleted is not known, so it is taken for enough.
      if (!this.#dropped.has(note)) this.#dropped.set(note, sweptMin);
    }
    this.#areNotesRead = true;
  }

  /** Deletes the entities of a dropped table. Returns false where that was ended early. */
  async #sweep(note: string, deadBefore: number): Promise<boolean> {
    const { account, rest: id } = decodeRecordKey(note);
    const range = encodeRange(entityPrefix(account, id), {});
    const keepsNote = (rows: number) => compactable(this.#engine) !== undefined && deadBefore + rows >= sweptMin;
    const goesOn = () => !this.#isHalted;
    const walked = await walkRange(this.#engine, range, goesOn, async (keys, rows, isLast) => {
      const gone = isLast && !keepsNote(rows) ? [...keys, note] : keys;
      if (gone.length > 0) await this.#options.write(gone.map((key) => ({ key, value: null })));
    });
    if (!walked) return false;
    this.#dropped.delete(note);
    const { rows, cuts } = walked;
    const dead = deadBefore + rows;
    if (dead === 0 || !compactable(this.#engine)) return true;
    this.#swept.push({ ...range, dead, cuts, ...(keepsNote(rows) && { note }) });
    this.#sweptDead += dead;
    return true;
  }

  /** Compacts what was swept, where that is enough and the last time is long enough ago. */
  async #compactSwept(): Promise<void> {
    if (this.#isHalted || this.#sweptDead < sweptMin) return;
    const startedAt = performance.now();
    if (startedAt < this.#notBefore) {
      this.#restTimer ??= setTimeout(() => {
        this.#restTimer = undefined;
        this.#start();
      }, this.#notBefore - startedAt).unref();
      return;
    }
    this.#sweptDead = 0;
    const left: SweptRange[] = [];
    for (const group of await groupRanges(this.#engine, this.#swept)) {
      const dead = group.reduce((sum, range) => sum + range.dead, 0);
      const isDone = dead >= groupMin && (await this.#compactGroup(group));
      if (!isDone) left.push(...group);
    }
    this.#swept = left.slice(-sweptRangesMax);
    const endedAt = performance.now();
    this.#notBefore = endedAt + restFactor * (endedAt - startedAt);
  }

  /** Compacts ranges without a living record between them. */
  async #compactGroup(group: readonly SweptRange[]): Promise<boolean> {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last || !(await this.#hasRoom())) return false;
    const notes = group.flatMap(({ note }) => (note === undefined ? [] : [{ key: note, value: null }]));
    return clearRange(this.#engine, {
      gte: first.gte,
      lt: last.lt,
      cuts: group.flatMap(({ cuts }) => cuts),
      goesOn: () => !this.#isHalted,
      write: (changes) => this.#options.write([...changes, ...notes]),
    });
  }

  #scheduleIdleWork(): void {
    if (this.#idleTimer || this.#isHalted) return;
    const writes = this.#writes;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      if (writes === this.#writes && !this.#working) this.#run(() => this.#compactTables());
      else this.#scheduleIdleWork();
    }, idleMs).unref();
  }

  /** Compacts the tables that live, and leaves the rest for later when something is written. */
  async #compactTables(): Promise<void> {
    const writes = this.#writes;
    const goesOn = () => !this.#isHalted && writes === this.#writes;
    for (const [prefix, dead] of this.#overwritten) {
      if (dead < overwrittenMin || !(await this.#hasRoom())) continue;
      const range = encodeRange(prefix, {});
      const walked = await walkRange(this.#engine, range, goesOn);
      const { write } = this.#options;
      if (!walked || !(await clearRange(this.#engine, { ...range, cuts: walked.cuts, goesOn, write }))) {
        this.#scheduleIdleWork();
        return;
      }
      this.#overwritten.delete(prefix);
    }
  }

  /** Whether the disk has room for a compaction. */
  #hasRoom(): Promise<boolean> {
    return this.#options.checkRoom().then(
      () => true,
      () => false,
    );
  }
}

/** Puts swept ranges that have no living record between them together, in the order of their keys. */
async function groupRanges(engine: Engine, ranges: readonly SweptRange[]): Promise<readonly SweptRange[][]> {
  const sorted = [...ranges].sort((a, b) => (a.gte < b.gte ? -1 : 1));
  const groups: SweptRange[][] = [];
  for (let at = 0; at < sorted.length; ) {
    // Steps over the dead records of this group and of no other.
    const [living] = await engine.keys({ gte: sorted[at]?.lt ?? '', limit: 1 }).all();
    const next = sorted.findIndex(({ gte }, index) => index > at && living !== undefined && gte > living);
    const end = next < 0 ? sorted.length : next;
    groups.push(sorted.slice(at, end));
    at = end;
  }
  return groups;
}
