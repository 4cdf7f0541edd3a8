import type { EntityText } from '../../entity/entity.js';
import { propertyReader } from '../../entity/read-property.js';
import type { EdmType } from '../../protocol/edm.js';

/** What a block costs besides its rows and its two border keys: objects, arrays, entries in the cache. Unit: bytes. Source: docs/benchmarks.md. */
const emptyBlockBytes = 280;

/** What a row costs besides its text and key: headers of both strings, slots of the arrays. Unit: bytes. Source: docs/benchmarks.md. */
const rowOverheadBytes = 125;

/** What a column costs besides its values. Unit: bytes. Source: docs/benchmarks.md. */
const emptyColumnBytes = 220;

/** What each row costs in a column, whether it has a value or not. Unit: bytes. Source: docs/benchmarks.md. */
const slotBytes = 16;

/** What a value of a column costs besides its text. Unit: bytes. Source: docs/benchmarks.md. */
const valueOverheadBytes = 20;

/** A substring of this length or more is a view of the whole text in V8, and compares many times slower. Unit: characters. */
const viewLengthMin = 13;

/**
 * The values of one property, row by row: their types, and their canonical JSON. Rows without the property have no type.
 * They are apart, because an object for each value would be another place in memory for each row that a filter tests.
 */
export interface Column {
  readonly types: readonly (EdmType | undefined)[];
  readonly json: readonly string[];
}

interface OwnColumn {
  readonly types: (EdmType | undefined)[];
  readonly json: string[];
  bytes: number;
}

/**
 * Contiguous rows: every row of the store from `from` up to, not including, `to`.
 *
 * Rows are sorted by stored key. Columns keep the values of properties that filters use, so that each value is decoded once
 * instead of once for each query.
 */
export class CacheBlock {
  readonly from: string;
  readonly to: string;
  /** The number of the last read that used the block. */
  usedAt = 0;
  /** The size of the block without its columns. Unit: bytes of heap, by estimate. */
  rowBytes: number;
  /** The size of its columns. Unit: bytes of heap, by estimate. */
  columnBytes = 0;
  readonly #keys: string[];
  readonly #texts: EntityText[];
  /** The columns by property, least recently used first. Created with the first column. */
  #columns: Map<string, OwnColumn> | undefined;

  /** Keeps both arrays and changes them. */
  constructor(from: string, to: string, keys: string[], texts: EntityText[]) {
    this.from = from;
    this.to = to;
    this.#keys = keys;
    this.#texts = texts;
    this.rowBytes = emptyBlockBytes + from.length + to.length;
    for (const [at, key] of keys.entries()) this.rowBytes += bytesOf(key, texts[at] ?? '');
  }

  /** The size of the block. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.rowBytes + this.columnBytes;
  }

  get rows(): number {
    return this.#keys.length;
  }

  /** The rows. */
  get texts(): readonly EntityText[] {
    return this.#texts;
  }

  /** Returns the row at a position. */
  textAt(at: number): EntityText {
    return this.#texts[at] ?? '';
  }

  /** Returns the key at a position. The position after the last row has the key at which the block ends. */
  keyAt(at: number): string {
    return this.#keys[at] ?? this.to;
  }

  /** Returns the position of the first row at or after a key. */
  find(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the row with exactly this key. */
  get(key: string): EntityText | undefined {
    const at = this.find(key);
    return this.#keys[at] === key ? this.#texts[at] : undefined;
  }

  /** Returns the column of a property if the block has it, and makes it the most recently used one. */
  column(name: string): Column | undefined {
    const column = this.#columns?.get(name);
    if (!column) return undefined;
    this.#columns?.delete(name);
    this.#columns?.set(name, column);
    return column;
  }

  /** Adds the column of a property. Drops the least recently used column if there are more than `columnsMax`. */
  addColumn(name: string, columnsMax: number): Column {
    const values = this.#texts.map(propertyReader(name));
    const column: OwnColumn = {
      types: values.map((value) => value?.type),
      json: values.map((value) => flatten(value?.json ?? '')),
      bytes: emptyColumnBytes,
    };
    for (const json of column.json) column.bytes += bytesOfValue(json);
    this.#columns ??= new Map();
    this.#columns.set(name, column);
    this.columnBytes += column.bytes;
    for (const oldest of this.#columns.keys()) {
      if (this.#columns.size <= columnsMax) break;
      this.dropColumn(oldest);
    }
    return column;
  }

  /** Drops one column. */
  dropColumn(name: string): void {
    this.columnBytes -= this.#columns?.get(name)?.bytes ?? 0;
    this.#columns?.delete(name);
  }

  /** Drops all columns. */
  dropColumns(): void {
    this.#columns = undefined;
    this.columnBytes = 0;
  }

  /** Stores the new text of a row, or removes the row if `text` is null. */
  set(key: string, text: EntityText | null): void {
    const at = this.find(key);
    const known = this.#keys[at] === key;
    if (known) this.rowBytes -= bytesOf(key, this.#texts[at] ?? '');
    if (text !== null) this.rowBytes += bytesOf(key, text);
    if (known && text !== null) this.#texts[at] = text;
    else if (known || text !== null) {
      this.#keys.splice(at, known ? 1 : 0, ...(text === null ? [] : [key]));
      this.#texts.splice(at, known ? 1 : 0, ...(text === null ? [] : [text]));
    }
    for (const [name, column] of this.#columns ?? []) {
      const removed = known ? 1 : 0;
      const before = column.bytes;
      if (text === null) {
        column.types.splice(at, removed);
        for (const json of column.json.splice(at, removed)) column.bytes -= bytesOfValue(json);
      } else {
        const value = propertyReader(name)(text);
        const json = flatten(value?.json ?? '');
        column.bytes += bytesOfValue(json);
        column.types.splice(at, removed, value?.type);
        for (const gone of column.json.splice(at, removed, json)) column.bytes -= bytesOfValue(gone);
      }
      this.columnBytes += column.bytes - before;
    }
  }

  /** Returns the part of the block between two keys within it, without columns. */
  part(from: string, to: string): CacheBlock {
    const [first, last] = [this.find(from), this.find(to)];
    const part = new CacheBlock(from, to, this.#keys.slice(first, last), this.#texts.slice(first, last));
    part.usedAt = this.usedAt;
    return part;
  }

  /** Returns the two halves of the block, by rows, without columns. */
  halves(): [CacheBlock, CacheBlock] {
    const border = this.#keys[this.#keys.length >>> 1] ?? this.to;
    return [this.part(this.from, border), this.part(border, this.to)];
  }

  /** Returns this block and the one that begins where it ends as one block, without columns. */
  join(next: CacheBlock): CacheBlock {
    const joined = new CacheBlock(this.from, next.to, this.#keys.concat(next.#keys), this.#texts.concat(next.#texts));
    joined.usedAt = Math.max(this.usedAt, next.usedAt);
    return joined;
  }
}

function bytesOf(key: string, text: EntityText): number {
  return key.length + text.length + rowOverheadBytes;
}

function bytesOfValue(json: string): number {
  return json === '' ? slotBytes : slotBytes + valueOverheadBytes + json.length;
}

/** Returns a text that is a string of its own, not a view of the row. */
function flatten(json: string): string {
  return json.length < viewLengthMin ? json : Buffer.from(json, 'latin1').toString('latin1');
}
