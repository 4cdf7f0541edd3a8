import { readVarint } from './varint.js';

/**
 * Decompresses a block in Snappy's raw format. Returns undefined if it is invalid.
 *
 * Source: Snappy, format_description.txt.
 */
export function decompressSnappy(packed: Buffer): Buffer | undefined {
  const [size, start] = readVarint(packed, 0);
  const unpacked = Buffer.alloc(size);
  let to = 0;
  for (let at = start; at < packed.length; ) {
    const tag = packed[at++] ?? 0;
    if ((tag & 3) === 0) {
      const [length, from] = literalAt(packed, at, tag >> 2);
      if (from + length > packed.length || to + length > size) return undefined;
      to += packed.copy(unpacked, to, from, from + length);
      at = from + length;
      continue;
    }
    const [length, distance, next] = copyAt(packed, at, tag);
    if (distance === 0 || distance > to || to + length > size) return undefined;
    // Byte by byte, because a copy may overlap the bytes that it writes.
    for (const end = to + length; to < end; to++) unpacked[to] = unpacked[to - distance] ?? 0;
    at = next;
  }
  return to === size ? unpacked : undefined;
}

/** Returns length and position of a literal. A length above 60 has one to four bytes of its own. */
function literalAt(packed: Buffer, at: number, lengthLessOne: number): [length: number, from: number] {
  if (lengthLessOne < 60) return [lengthLessOne + 1, at];
  const bytes = lengthLessOne - 59;
  return [at + bytes <= packed.length ? packed.readUIntLE(at, bytes) + 1 : packed.length, at + bytes];
}

/** Returns length and distance of a copy, and the position after it. */
function copyAt(packed: Buffer, at: number, tag: number): [length: number, distance: number, next: number] {
  const bytes = [0, 1, 2, 4][tag & 3] ?? 0;
  if (at + bytes > packed.length) return [0, 0, packed.length];
  const low = packed.readUIntLE(at, bytes);
  if (bytes === 1) return [((tag >> 2) & 7) + 4, ((tag >> 5) << 8) | low, at + 1];
  return [(tag >> 2) + 1, low, at + bytes];
}
