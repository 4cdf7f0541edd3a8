import type { RecordChange } from '../engine/engine.js';
import { prefixOfEntityKey, type StoredRange } from '../engine/key-encoding.js';
import { behindChange, changesFrom, type EncodedChange, encodedChangeAt } from './commit-frame.js';
import { FrameMemory, FrameRun } from './frame-runs.js';
import { HighestKeys } from './highest-keys.js';

/** If more changes than this are new since a table was last sorted, it is sorted again. (Our choice.) */
const insertedMax = 64;

/**
 * From this number on, ascending changes of a commit stay as its frame has them: those of an import. (Our choice: a transaction has fewer, and
 * to decode rows that are read or deleted at once takes longer than to keep them.)
 */
const runMin = 128;

/**
 * The newest commits, which the engine may lack. A reader sees the engine under this tail, so it makes no difference how much of a batch
 * the engine has: every change of a batch stays here until the whole batch is written.
 *
 * Changes are grouped by the prefix of their table, so a page costs nothing for the writes of other tables.
 */
export class Tail {
  #waiting = new Map<string, TailTable>();
  /** Those of the batches in progress. */
  #taken = new Map<string, TailTable>();
  readonly #spare: Buffer[] = [];
  /** What the runs of the waiting changes are in. */
  #memory = new FrameMemory(this.#spare);
  /** The same of the batches in progress. */
  #takenMemory = new FrameMemory(this.#spare);
  readonly #slices = new Map<string, readonly RecordChange[]>();
  /** What the engine can have below the tail. */
  readonly highest = new HighestKeys();
  /** The number of the newest commit of which it got the changes. */
  last = 0;
  #count = 0;
  #units = 0;
  /** Neighboring changes are often of one table. */
  #last: TailTable | undefined;

  /** How many changes were added since the last batch was taken. Replaced ones count. */
  get waiting(): number {
    return this.#count;
  }

  /** The length of what was added since the last batch was taken. Unit: UTF-16 code units; bytes for what stays in frames. */
  get waitingUnits(): number {
    return this.#units;
  }

  /** Returns the newest value of a record, null if it is deleted; undefined if the engine has it. `prefix` is that of its table. */
  get(prefix: string, key: string): string | null | undefined {
    const waiting = this.#waiting.get(prefix)?.get(key);
    return waiting === undefined ? this.#taken.get(prefix)?.get(key) : waiting;
  }

  /** Returns the newest changes of a table, in the order of their keys. The array never changes. */
  slice(prefix: string): readonly RecordChange[] {
    const known = this.#slices.get(prefix);
    if (known) return known;
    const [waiting, taken] = [this.#waiting.get(prefix)?.sorted() ?? [], this.#taken.get(prefix)?.sorted() ?? []];
    const slice = taken.length === 0 ? waiting : waiting.length === 0 ? taken : merge(waiting, taken);
    this.#slices.set(prefix, slice);
    return slice;
  }

  /** Adds a change. */
  add(key: string, value: string | null): void {
    const table = this.#last && key.startsWith(this.#last.prefix) ? this.#last : this.#findTable(key);
    table.add(key, value);
    if (this.#slices.size > 0) this.#slices.delete(table.prefix);
    this.#count++;
    this.#units += key.length + (value?.length ?? 0);
  }

  /** Adds the changes of a commit. `frame` has them, too, if the log encodes them. */
  addCommit(changes: readonly RecordChange[], frame: Buffer | undefined): void {
    if (!frame || changes.length < runMin) {
      for (const { key, value } of changes) this.add(key, value);
      return;
    }
    let at = changesFrom;
    let copy: Buffer | undefined;
    for (let from = 0, to = 0; from < changes.length; from = to) {
      to = endOfRun(changes, from);
      const { key } = changes[from] as RecordChange;
      const table = to - from < runMin ? undefined : this.#findTable(key);
      const start = at;
      if (table?.isBelow(key)) {
        const places = new Uint32Array(to - from);
        for (let next = 0; next < places.length; next++, at = behindChange(frame, at)) places[next] = at;
        copy ??= this.#memory.copy(frame);
        table.addRun(new FrameRun(copy, places));
        this.#slices.delete(table.prefix);
        this.#count += places.length;
        this.#units += at - start;
        continue;
      }
      for (const { key, value } of changes.slice(from, to)) {
        this.add(key, value);
        at = behindChange(frame, at);
      }
    }
  }

  #findTable(key: string): TailTable {
    const prefix = prefixOfEntityKey(key);
    let table = this.#waiting.get(prefix);
    if (!table) {
      table = new TailTable(prefix);
      this.#waiting.set(prefix, table);
    }
    // Records that are not of a table have no prefix, which all keys begin with.
    if (prefix !== '') this.#last = table;
    return table;
  }

  /** Returns all waiting changes, for batches. They stay in the tail until `forgetTaken` or `returnTaken`. */
  take(): Iterable<TakenChange> {
    this.#taken = this.#waiting;
    this.#startWaiting();
    return takenOf(this.#taken);
  }

  /** Forgets the changes of the batches, which are written. */
  forgetTaken(): void {
    for (const table of this.#taken.values()) this.highest.raise(table.prefix, table.highestKeys());
    this.#taken = new Map();
    this.#takenMemory.clear();
    this.#slices.clear();
  }

  /** Lets the changes of the batches wait again, because they may not be written. Newer ones stay. */
  returnTaken(): void {
    const [taken, waiting] = [this.#taken, this.#waiting];
    this.#taken = new Map();
    this.#startWaiting();
    for (const tables of [taken, waiting]) {
      for (const table of tables.values()) for (const { key, value } of table.sorted()) this.add(key, value);
    }
    for (const memory of [this.#memory, this.#takenMemory]) memory.clear();
    this.#slices.clear();
  }

  #startWaiting(): void {
    this.#waiting = new Map();
    [this.#memory, this.#takenMemory] = [this.#takenMemory, this.#memory];
    this.#last = undefined;
    this.#count = 0;
    this.#units = 0;
  }
}

/** Returns the changes of a range among those of a table, in the order of their keys. */
export function within(slice: readonly RecordChange[], { gte, lt }: StoredRange): readonly RecordChange[] {
  return slice.length === 0 ? slice : slice.slice(positionOf(slice, gte), positionOf(slice, lt));
}

/** Returns the change of a key among those of a table. */
export function findChange(slice: readonly RecordChange[], key: string): RecordChange | undefined {
  const found = slice[positionOf(slice, key)];
  return found?.key === key ? found : undefined;
}

/** A change for the engine, as strings or in UTF-8. Of those of a key the last one counts. */
export type TakenChange = RecordChange | EncodedChange;

/** Yields the changes of tables. */
function* takenOf(tables: ReadonlyMap<string, TailTable>): Generator<TakenChange> {
  for (const { runs, changes } of tables.values()) {
    for (const { bytes, places } of runs) for (const at of places) yield encodedChangeAt(bytes, at);
    for (const [key, value] of changes) yield { key, value };
  }
}

/** Returns where ascending changes of a table end that begin at a position. */
function endOfRun(changes: readonly RecordChange[], from: number): number {
  let { key } = changes[from] as RecordChange;
  const prefix = prefixOfEntityKey(key);
  for (let to = from + 1; ; to++) {
    const next = changes[to]?.key;
    if (next === undefined || prefix === '' || next <= key || !next.startsWith(prefix)) return to;
    key = next;
  }
}

/** The newest changes of one table. Keeps nothing but keys and values, because what it keeps costs the collector of garbage twice. */
class TailTable {
  readonly prefix: string;
  /** Ascending: each is above the one before. */
  readonly runs: FrameRun[] = [];
  /** Those that are not in runs, and those that are newer. */
  readonly changes = new Map<string, string | null>();
  /** Absent until a reader needs it: most tables are written more often than a range of them is read. */
  #sorted: readonly RecordChange[] | undefined;
  /** The keys of changes that `#sorted` lacks. */
  #unsorted: string[] = [];

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  get(key: string): string | null | undefined {
    const value = this.changes.get(key);
    if (value !== undefined) return value;
    // Rows that arrive in the order of their keys are above all runs.
    if (this.runs.length === 0 || (this.runs.at(-1)?.last ?? '') < key) return undefined;
    return this.runs.findLast(({ first }) => first <= key)?.get(key);
  }

  add(key: string, value: string | null): void {
    this.changes.set(key, value);
    if (this.#sorted && this.#unsorted.length <= insertedMax) this.#unsorted.push(key);
  }

  /** Returns whether all changes are of keys below this one. */
  isBelow(key: string): boolean {
    for (const other of this.highestKeys()) if (other >= key) return false;
    return true;
  }

  /** Adds a run, which must be above all changes. */
  addRun(run: FrameRun): void {
    this.runs.push(run);
    this.#sorted = undefined;
    this.#unsorted = [];
  }

  /** Yields keys, the highest one among them. */
  *highestKeys(): Generator<string> {
    const last = this.runs.at(-1)?.last;
    if (last !== undefined) yield last;
    yield* this.changes.keys();
  }

  /** Returns all changes in the order of their keys. The array never changes. */
  sorted(): readonly RecordChange[] {
    if (this.#sorted && this.#unsorted.length === 0) return this.#sorted;
    if (!this.#sorted || this.#unsorted.length > insertedMax) {
      const changes = Array.from(this.changes, ([key, value]) => ({ key, value }));
      changes.sort((one, other) => (one.key < other.key ? -1 : 1));
      const older = this.runs.flatMap((run) => run.changes());
      this.#sorted = older.length === 0 ? changes : merge(changes, older);
    } else {
      const sorted = [...this.#sorted];
      for (const key of this.#unsorted) {
        const at = positionOf(sorted, key);
        sorted.splice(at, sorted[at]?.key === key ? 1 : 0, { key, value: this.get(key) ?? null });
      }
      this.#sorted = sorted;
    }
    this.#unsorted = [];
    return this.#sorted;
  }
}

/** Returns the position of the first change whose key is not below a key. */
function positionOf(slice: readonly RecordChange[], key: string): number {
  let [low, high] = [0, slice.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slice[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges two lists in the order of their keys. If both have a change of a key, that of the first one counts. */
function merge(newer: readonly RecordChange[], older: readonly RecordChange[]): readonly RecordChange[] {
  const merged: RecordChange[] = [];
  let at = 0;
  for (const change of newer) {
    for (let other = older[at]; other && other.key < change.key; other = older[++at]) merged.push(other);
    if (older[at]?.key === change.key) at++;
    merged.push(change);
  }
  for (; at < older.length; at++) merged.push(older[at] as RecordChange);
  return merged;
}
