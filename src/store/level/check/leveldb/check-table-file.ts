import { crc32c, unmask } from './crc32c.js';
import { decompressSnappy } from './snappy.js';
import { readVarint } from './varint.js';

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
