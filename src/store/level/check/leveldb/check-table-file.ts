import { crc32c, readVarint, unmask } from './encoding.js';

/** Length of the footer: the padded handles of two index blocks, and the magic number. Unit: bytes. Source: LevelDB, doc/table_format.md. */
const footerBytes = 48;

/** The last eight bytes of a table file. Source: LevelDB, doc/log_format.md. */
const magic = Buffer.from('57fb808b247547db', 'hex');

/** Position and size of a block. Unit: bytes. */
interface Handle {
  readonly offset: number;
  readonly size: number;
}

/**
 * Returns whether every block of a sorted table file matches its checksum. LevelDB does not check them when it reads, so a
 * flipped bit would change or hide a row.
 */
export function isTableFileValid(bytes: Buffer): boolean {
  const footer = bytes.length - footerBytes;
  if (footer < 0 || !bytes.subarray(-magic.length).equals(magic)) return false;
  const [meta, next] = readHandle(bytes, footer);
  const [index] = readHandle(bytes, next);
  const blocks = [meta, index].map((handle) => readBlock(bytes, handle));
  return blocks.every((block) => {
    const handles = block && handlesOf(block);
    return handles?.every((handle) => isBlockValid(bytes, handle));
  });
}

function readHandle(bytes: Buffer, at: number): [handle: Handle, next: number] {
  const [offset, sizeAt] = readVarint(bytes, at);
  const [size, next] = readVarint(bytes, sizeAt);
  return [{ offset, size }, next];
}

/** Returns whether a block is undamaged. It is followed by one byte for its compression, which the checksum includes, and by the checksum. */
function isBlockValid(bytes: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1;
  if (end + 4 > bytes.length - footerBytes) return false;
  return crc32c(bytes, offset, end) === unmask(bytes.readUInt32LE(end));
}

function readBlock(bytes: Buffer, handle: Handle): Buffer | undefined {
  if (!isBlockValid(bytes, handle)) return undefined;
  const end = handle.offset + handle.size;
  const content = bytes.subarray(handle.offset, end);
  return bytes[end] === 0 ? content : decompressSnappy(content);
}

/** Returns the handles that are the values of an index block. */
function handlesOf(block: Buffer): readonly Handle[] | undefined {
  if (block.length < 4) return undefined;
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  const handles: Handle[] = [];
  for (let at = 0; at < end; ) {
    const [, keyBytesAt] = readVarint(block, at);
    const [keyBytes, valueBytesAt] = readVarint(block, keyBytesAt);
    const [valueBytes, keyStart] = readVarint(block, valueBytesAt);
    const [handle] = readHandle(block, keyStart + keyBytes);
    handles.push(handle);
    at = keyStart + keyBytes + valueBytes;
  }
  return handles;
}

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
