import { crc32c, unmask } from './crc32c.js';
import { unpackSnappy } from './snappy.js';
import { readVarint } from './varint.js';

/** Handles of the two indexes, padded, and the magic number. Unit: bytes. Source: LevelDB, doc/table_format.md. */
const footerBytes = 48;

/** The last eight bytes of a table file. Source: LevelDB, doc/log_format.md. */
const magic = Buffer.from('57fb808b247547db', 'hex');

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/**
 * Whether a table file is as it was written: every block of it matches its checksum. LevelDB does not look at them when
 * it reads, so a flipped bit becomes a wrong value, or hides a row.
 */
export function isTableWhole(bytes: Buffer): boolean {
  const footer = bytes.length - footerBytes;
  if (footer < 0 || !bytes.subarray(-magic.length).equals(magic)) return false;
  const [meta, next] = readHandle(bytes, footer);
  const [index] = readHandle(bytes, next);
  const blocks = [meta, index].map((handle) => readBlock(bytes, handle));
  return blocks.every((block) => {
    const handles = block && handlesOf(block);
    return handles?.every((handle) => isBlockWhole(bytes, handle));
  });
}

function readHandle(bytes: Buffer, at: number): [handle: Handle, next: number] {
  const [offset, behindOffset] = readVarint(bytes, at);
  const [size, next] = readVarint(bytes, behindOffset);
  return [{ offset, size }, next];
}

/** Behind a block stand the kind of its compression, one byte that its checksum covers too, and the checksum. */
function isBlockWhole(bytes: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1;
  if (end + 4 > bytes.length - footerBytes) return false;
  return crc32c(bytes, offset, end) === unmask(bytes.readUInt32LE(end));
}

function readBlock(bytes: Buffer, handle: Handle): Buffer | undefined {
  if (!isBlockWhole(bytes, handle)) return undefined;
  const end = handle.offset + handle.size;
  const content = bytes.subarray(handle.offset, end);
  return bytes[end] === 0 ? content : unpackSnappy(content);
}

/** The handles that an index block holds as its values. */
function handlesOf(block: Buffer): readonly Handle[] | undefined {
  if (block.length < 4) return undefined;
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  const handles: Handle[] = [];
  for (let at = 0; at < end; ) {
    const [, behindShared] = readVarint(block, at);
    const [keyBytes, behindKeyBytes] = readVarint(block, behindShared);
    const [valueBytes, key] = readVarint(block, behindKeyBytes);
    const [handle] = readHandle(block, key + keyBytes);
    handles.push(handle);
    at = key + keyBytes + valueBytes;
  }
  return handles;
}
