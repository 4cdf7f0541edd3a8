import type { EntityText } from '../../../entity/stored/entity.js';
import { ownText } from '../../../remembered.js';
import { mergeChanges, type RecordChange, rowAfter } from '../engine/engine.js';
import { type Column, emptyColumnBytes, type OwnColumn, readColumn, replaceValues } from './cache-column.js';

/** The size of a block besides its rows and its two border keys. Unit: bytes. Source: docs/benchmarks.md. */
const emptyBlockBytes = 280;

/** The size of a row besides its text and key. Unit: bytes. Source: docs/benchmarks.md. */
const rowOverheadBytes = 125;

/** This many changes are merged into a block, which loses its columns. Fewer are applied one by one. (Our choice: break-even.) */
const mergedMin = 8;

/**
 * Contiguous rows: every row of the store from `from` up to, not including, `to`, sorted by stored key.
 *
 * Columns keep the values of properties that filters use, so that each value is decoded once instead of once per query.
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
  #keys: string[];
  #texts: EntityText[];
  /** The columns by property, least recently used first. Created with the first column. */
  #columns: Map<string, OwnColumn> | undefined;

  /** Takes ownership of both arrays. `bytes` is the size of their rows, if known: adding it up visits each row. */
  constructor(from: string, to: string, keys: string[], texts: EntityText[], bytes = bytesOfRows(keys, texts)) {
    this.from = from;
    this.to = to;
    this.#keys = keys;
    this.#texts = texts;
    this.rowBytes = bytes + this.#ownBytes;
  }

  get #ownBytes(): number {
    return emptyBlockBytes + this.from.length + this.to.length;
  }

  /** The size of the block. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.rowBytes + this.columnBytes;
  }

  get rows(): number {
    return this.#keys.length;
  }

  get texts(): readonly EntityText[] {
    return this.#texts;
  }

  textAt(at: number): EntityText {
    return this.#texts[at] ?? '';
  }

  /** Returns the key at a position; the end of the block after the last row. */
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

  get(key: string): EntityText | undefined {
    const at = this.find(key);
    return this.#keys[at] === key ? this.#texts[at] : undefined;
  }

  /** Returns the column of a property, if cached, and makes it the most recently used one. */
  column(name: string): Column | undefined {
    const column = this.#columns?.get(name);
    if (!column) return undefined;
    this.#columns?.delete(name);
    this.#columns?.set(name, column);
    return column;
  }

  /** Adds the column of a property. Drops the least recently used column beyond `columnsMax`. */
  addColumn(name: string, columnsMax: number): Column {
    const column = readColumn(name, this.#texts);
    column.bytes += emptyColumnBytes;
    this.#columns ??= new Map();
    this.#columns.set(ownText(name), column);
    this.columnBytes += column.bytes;
    for (const oldest of this.#columns.keys()) {
      if (this.#columns.size <= columnsMax) break;
      this.dropColumn(oldest);
    }
    return column;
  }

  dropColumn(name: string): void {
    this.columnBytes -= this.#columns?.get(name)?.bytes ?? 0;
    this.#columns?.delete(name);
  }

  covers(key: string): boolean {
    return this.from <= key && key < this.to;
  }

  /** Sets the text of a row, or removes the row if `text` is null. */
  set(key: string, text: EntityText | null): void {
    const at = this.find(key);
    const removed = this.#keys[at] === key ? 1 : 0;
    const [keys, texts] = text === null ? [[], []] : [[key], [text]];
    if (removed > 0) this.rowBytes -= bytesOf(key, this.textAt(at));
    if (text !== null) this.rowBytes += bytesOf(key, text);
    this.#keys.splice(at, removed, ...keys);
    this.#texts.splice(at, removed, ...texts);
    if (!this.#columns) return;
    this.columnBytes = 0;
    for (const [name, column] of this.#columns) {
      replaceValues(column, at, removed, readColumn(name, texts));
      this.columnBytes += column.bytes;
    }
  }

  /** Applies changes of rows, in key order. */
  apply(changes: readonly RecordChange[]): void {
    if (changes.length < mergedMin) {
      for (const change of changes) this.set(change.key, rowAfter(change));
      return;
    }
    [this.#keys, this.#texts] = mergeChanges(this.#keys, this.#texts, changes);
    this.rowBytes = bytesOfRows(this.#keys, this.#texts) + this.#ownBytes;
    this.#columns = undefined;
    this.columnBytes = 0;
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

  /** Returns this block and the adjacent next one as one block, without columns. */
  join(next: CacheBlock): CacheBlock {
    const bytes = this.rowBytes - this.#ownBytes + next.rowBytes - next.#ownBytes;
    const [keys, texts] = [this.#keys.concat(next.#keys), this.#texts.concat(next.#texts)];
    const joined = new CacheBlock(this.from, next.to, keys, texts, bytes);
    joined.usedAt = Math.max(this.usedAt, next.usedAt);
    return joined;
  }
}

function bytesOfRows(keys: readonly string[], texts: readonly EntityText[]): number {
  let bytes = 0;
  for (let at = 0; at < keys.length; at++) bytes += bytesOf(keys[at] ?? '', texts[at] ?? '');
  return bytes;
}

function bytesOf(key: string, text: EntityText): number {
  return key.length + text.length + rowOverheadBytes;
}
