import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';

/** A bound between the rows of a table, as the two key columns. Rows at or after it are beyond the bound. */
export type KeyBound = readonly [partitionKey: Buffer, rowKey: Buffer];

const empty = Buffer.alloc(0);

/** The smallest suffix of a key, for the bound after it. */
const smallestUnit = Buffer.alloc(2);

/** Before every row. */
const tableStart: KeyBound = [empty, empty];

/** Maximum length of a key in any service. Unit: UTF-16 code units. Source: cosmos 13. */
const keyUnitsMax = 1024;

/** After every row: longer than any key, and with the largest byte. */
const tableEnd: KeyBound = [Buffer.alloc(2 * keyUnitsMax + 2, 0xff), empty];

/**
 * Encodes a key as big-endian UTF-16. PostgreSQL compares `bytea` by byte, which is then the service's order by UTF-16 code unit. Its
 * `text` sorts by code point, and cannot hold U+0000 and lone surrogates.
 */
export function encodeKey(key: string): Buffer {
  const bytes = Buffer.allocUnsafe(2 * key.length);
  writeKey(bytes, key, 0);
  return bytes;
}

/** Writes a key in the form of `encodeKey` into a buffer. Returns the offset after it. */
export function writeKey(bytes: Buffer, key: string, at: number): number {
  let end = at;
  for (let unit = 0; unit < key.length; unit++) {
    const code = key.charCodeAt(unit);
    bytes[end++] = code >>> 8;
    bytes[end++] = code & 0xff;
  }
  return end;
}

/** Returns the bounds of a range. */
export function encodeRange({ from, to }: KeyRange): { readonly from: KeyBound; readonly to: KeyBound } {
  return { from: from ? boundOf(from) : tableStart, to: to ? boundOf(to) : tableEnd };
}

function boundOf({ partitionKey, rowKey, side }: KeyCut): KeyBound {
  const partition = encodeKey(partitionKey);
  if (rowKey === undefined) return [side === 'before' ? partition : after(partition), empty];
  const row = encodeKey(rowKey);
  return [partition, side === 'before' ? row : after(row)];
}

/** No key is between a key and the same key followed by U+0000. */
function after(key: Buffer): Buffer {
  return Buffer.concat([key, smallestUnit]);
}

/** Whether a table can have this name. PostgreSQL's `text` holds neither U+0000 nor lone surrogates. */
export function isStorableName(name: string): boolean {
  return !name.includes('\0') && name.isWellFormed();
}
