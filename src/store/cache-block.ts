import type { EntityText } from '../entity/entity.js';
import { propertyReader, type StoredValue } from '../entity/read-property.js';

/** What a cached row costs beside its text and key: headers of both strings, slots of the arrays. Unit: bytes. Estimate. */
const rowOverheadBytes = 64;

/** What one decoded value of a column costs beside its text. Unit: bytes. Estimate. */
const valueBytes = 96;

/** Strings this long or longer are cut from their text as views of it, which compare many times slower. */
const viewLengthMin = 13;

/**
 * A run of neighbouring rows that is known whole: every row of the store from `from` up to, not including, `to`.
 * Rows are sorted by stored key. Values of properties that filters ask for are decoded once, column by column.
 */
export class CacheBlock {
  readonly from: string;
  readonly to: string;
  /** What the block costs. Unit: bytes, by estimate. */
  bytes = 0;
  /** When it was last read, in the cache's own count. */
  usedAt = 0;
  readonly #keys: string[];
  readonly #texts: EntityText[];
  readonly #columns = new Map<string, (StoredValue | undefined)[]>();

  constructor(from: string, to: string, keys: string[], texts: EntityText[]) {
    this.from = from;
    this.to = to;
    this.#keys = keys;
    this.#texts = texts;
    for (const [at, key] of keys.entries()) this.bytes += bytesOf(key, texts[at] ?? '');
  }

  get rows(): number {
    return this.#keys.length;
  }

  /** The row at a position. */
  textAt(at: number): EntityText {
    return this.#texts[at] ?? '';
  }

  /** The position of the first row at or behind a key. */
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

  /** The row of exactly this key. */
  get(key: string): EntityText | undefined {
    const at = this.find(key);
    return this.#keys[at] === key ? this.#texts[at] : undefined;
  }

  /** Values of one property, row by row, decoded at the first call. */
  column(name: string): readonly (StoredValue | undefined)[] {
    let column = this.#columns.get(name);
    if (!column) {
      const read = propertyReader(name);
      column = this.#texts.map((text) => flatten(read(text)));
      this.#columns.set(name, column);
      for (const value of column) this.bytes += bytesOfValue(value);
    }
    return column;
  }

  /** Keeps the block current: a row has a new text, or, with null, is gone. */
  set(key: string, text: EntityText | null): void {
    const at = this.find(key);
    const known = this.#keys[at] === key;
    if (known) this.bytes -= bytesOf(key, this.#texts[at] ?? '');
    if (text !== null) this.bytes += bytesOf(key, text);
    const added = text === null ? 0 : 1;
    if (known && text !== null) this.#texts[at] = text;
    else if (known || text !== null) {
      this.#keys.splice(at, known ? 1 : 0, ...(added ? [key] : []));
      this.#texts.splice(at, known ? 1 : 0, ...(text === null ? [] : [text]));
    }
    for (const [name, column] of this.#columns) {
      const values = text === null ? [] : [flatten(propertyReader(name)(text))];
      for (const value of values) this.bytes += bytesOfValue(value);
      for (const gone of column.splice(at, known ? 1 : 0, ...values)) this.bytes -= bytesOfValue(gone);
    }
  }

  /** The part of the block between two keys within it. */
  part(from: string, to: string): CacheBlock {
    const [first, last] = [this.find(from), this.find(to)];
    const part = new CacheBlock(from, to, this.#keys.slice(first, last), this.#texts.slice(first, last));
    part.usedAt = this.usedAt;
    return part;
  }

  /** The two halves of the block, by rows. */
  halves(): [CacheBlock, CacheBlock] {
    const border = this.#keys[this.#keys.length >>> 1] ?? this.to;
    return [this.part(this.from, border), this.part(border, this.to)];
  }

  /** This block and the one that begins where it ends, as one. */
  join(next: CacheBlock): CacheBlock {
    const joined = new CacheBlock(this.from, next.to, this.#keys.concat(next.#keys), this.#texts.concat(next.#texts));
    joined.usedAt = Math.max(this.usedAt, next.usedAt);
    return joined;
  }
}

function bytesOf(key: string, text: EntityText): number {
  return key.length + text.length + rowOverheadBytes;
}

function bytesOfValue(value: StoredValue | undefined): number {
  return valueBytes + (value?.json.length ?? 0);
}

/** A value whose text is a string of its own, not a view of the row. */
function flatten(value: StoredValue | undefined): StoredValue | undefined {
  if (value === undefined || value.json.length < viewLengthMin) return value;
  return { type: value.type, json: Buffer.from(value.json, 'latin1').toString('latin1') };
}
