import type { Engine, RecordChange } from '../engine/engine.js';
import { prefixOfEntityKey, type StoredRange, wholeTable } from '../engine/key-encoding.js';

/** A table with more unsorted changes than this is sorted from scratch. (Our choice.) */
const insertedMax = 64;

/**
 * The newest commits, which the engine may lack. Readers see the engine under this tail, and every change of a batch stays here until the
 * whole batch is written, so a partial batch makes no difference.
 *
 * Changes are grouped by the prefix of their table, so a page costs nothing for writes to other tables.
 */
export class Tail {
  #waiting = new Map<string, TailTable>();
  /** The changes of batches in progress. */
  #taken = new Map<string, TailTable>();
  readonly #slices = new Map<string, readonly RecordChange[]>();
  /** Bounds of the engine's rows below the tail. */
  readonly highest = new HighestKeys();
  /** The number of the newest commit in the tail. */
  last = 0;
  #count = 0;
  #units = 0;
  /** Neighboring changes are often of one table. */
  #last: TailTable | undefined;

  /** The number of changes since the last `take`, including replaced ones. */
  get waiting(): number {
    return this.#count;
  }

  /** The length of the changes since the last `take`. Unit: UTF-16 code units. */
  get waitingUnits(): number {
    return this.#units;
  }

  /** Returns the newest value of a record: null if it is deleted, undefined if the engine has it. `prefix` is that of its table. */
  get(prefix: string, key: string): string | null | undefined {
    const waiting = this.#waiting.get(prefix)?.changes.get(key);
    return waiting === undefined ? this.#taken.get(prefix)?.changes.get(key) : waiting;
  }

  /** Returns the newest changes of a table, in key order. The array never changes. */
  slice(prefix: string): readonly RecordChange[] {
    const known = this.#slices.get(prefix);
    if (known) return known;
    const [waiting, taken] = [this.#waiting.get(prefix)?.sorted() ?? [], this.#taken.get(prefix)?.sorted() ?? []];
    const slice = taken.length === 0 ? waiting : waiting.length === 0 ? taken : merge(waiting, taken);
    this.#slices.set(prefix, slice);
    return slice;
  }

  add(key: string, value: string | null): void {
    const table = this.#last && key.startsWith(this.#last.prefix) ? this.#last : this.#findTable(key);
    table.add(key, value);
    if (this.#slices.size > 0) this.#slices.delete(table.prefix);
    this.#count++;
    this.#units += key.length + (value?.length ?? 0);
  }

  #findTable(key: string): TailTable {
    const prefix = prefixOfEntityKey(key);
    let table = this.#waiting.get(prefix);
    if (!table) {
      table = new TailTable(prefix);
      this.#waiting.set(prefix, table);
    }
    // Records outside tables have an empty prefix, which every key starts with.
    if (prefix !== '') this.#last = table;
    return table;
  }

  /** Returns all waiting changes, for batches. They stay in the tail until `forgetBatches` or `returnBatches`. */
  take(): Iterable<RecordChange> {
    this.#taken = this.#waiting;
    this.#startWaiting();
    return takenOf(this.#taken);
  }

  /** Forgets the changes of written batches. */
  forgetBatches(): void {
    for (const table of this.#taken.values()) this.highest.raise(table.prefix, table.changes.keys());
    this.#taken = new Map();
    this.#slices.clear();
  }

  /** Puts the changes of failed batches back. Newer ones win. */
  returnBatches(): void {
    const [taken, waiting] = [this.#taken, this.#waiting];
    this.#taken = new Map();
    this.#startWaiting();
    for (const tables of [taken, waiting]) {
      for (const table of tables.values()) for (const { key, value } of table.sorted()) this.add(key, value);
    }
    this.#slices.clear();
  }

  #startWaiting(): void {
    this.#waiting = new Map();
    this.#last = undefined;
    this.#count = 0;
    this.#units = 0;
  }
}

/** Returns the changes in a range among those of a table, in key order. */
export function within(slice: readonly RecordChange[], { gte, lt }: StoredRange): readonly RecordChange[] {
  return slice.length === 0 ? slice : slice.slice(positionOf(slice, gte), positionOf(slice, lt));
}

/** Returns the change of a key among those of a table. */
export function findChange(slice: readonly RecordChange[], key: string): RecordChange | undefined {
  const found = slice[positionOf(slice, key)];
  return found?.key === key ? found : undefined;
}

function* takenOf(tables: ReadonlyMap<string, TailTable>): Generator<RecordChange> {
  for (const { changes } of tables.values()) for (const [key, value] of changes) yield { key, value };
}

/** The newest changes of one table. Keeps only strings, because the garbage collector copies every retained object twice. */
class TailTable {
  readonly prefix: string;
  readonly changes = new Map<string, string | null>();
  /** Absent until a reader needs it: most tables are written more often than a range of them is read. */
  #sorted: readonly RecordChange[] | undefined;
  /** The keys of changes that `#sorted` lacks. */
  #unsorted: string[] = [];

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  add(key: string, value: string | null): void {
    this.changes.set(key, value);
    if (this.#sorted && this.#unsorted.length <= insertedMax) this.#unsorted.push(key);
  }

  /** Returns all changes in key order. The array never changes. */
  sorted(): readonly RecordChange[] {
    if (this.#sorted && this.#unsorted.length === 0) return this.#sorted;
    if (!this.#sorted || this.#unsorted.length > insertedMax) {
      const changes = Array.from(this.changes, ([key, value]) => ({ key, value }));
      changes.sort((one, other) => (one.key < other.key ? -1 : 1));
      this.#sorted = changes;
    } else {
      const sorted = [...this.#sorted];
      for (const key of this.#unsorted) {
        const at = positionOf(sorted, key);
        sorted.splice(at, sorted[at]?.key === key ? 1 : 0, { key, value: this.changes.get(key) ?? null });
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

/** Merges two lists in key order. The first one wins. */
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

/** The number of tables whose highest key is kept. (Our choice: few tables get many rows at a time.) */
const tablesMax = 64;

/**
 * The highest keys that the engine has, or had, of some tables. Rows that arrive in key order are above, so they need no lookup.
 *
 * A key is raised before the tail forgets it, so a record above the highest key is in the tail or nowhere.
 */
class HighestKeys {
  readonly #highest = new Map<string, string>();
  readonly #wanted = new Set<string>();

  /** Whether the engine certainly lacks a record that the tail lacks. */
  lacks(prefix: string, key: string): boolean {
    const highest = this.#highest.get(prefix);
    return highest !== undefined && key > highest;
  }

  /** Requests a table, for the next `learn`. */
  want(prefix: string): void {
    if (!this.#highest.has(prefix)) this.#wanted.add(prefix);
  }

  /** Reads the highest keys of the wanted tables. The engine must not be written meanwhile. */
  async learn(engine: Engine): Promise<void> {
    for (const prefix of this.#wanted) {
      try {
        const [highest = prefix] = await engine.keys({ ...wholeTable(prefix), reverse: true, limit: 1 }).all();
        const [oldest = ''] = this.#highest.keys();
        if (this.#highest.size >= tablesMax) this.#highest.delete(oldest);
        this.#highest.set(prefix, highest);
      } catch {
        // The table stays unknown, so its rows are looked up, which reports only damaged ones.
      }
    }
    this.#wanted.clear();
  }

  /** Must be called with all keys of written batches, before the tail forgets them. */
  raise(prefix: string, keys: Iterable<string>): void {
    let highest = this.#highest.get(prefix);
    if (highest === undefined) return;
    for (const key of keys) if (key > highest) highest = key;
    this.#highest.set(prefix, highest);
  }
}
