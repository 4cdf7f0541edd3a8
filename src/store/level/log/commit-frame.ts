import { crc32 } from 'node:zlib';
import type { RecordChange } from '../engine/engine.js';

/** Begins each frame. UTF-8 contains none of these bytes. */
const mark = Buffer.from([0xff, 0xfe, 0xfd, 0xfc]);

/** Length of the head of a frame: the mark, the length of the rest, and its CRC-32. Unit: bytes. */
const headBytes = 12;

/** Length of the number of a commit, a double. Unit: bytes. */
const numberBytes = 8;

/** Size of the lengths of a change's key and value, which precede them. Unit: bytes. */
const lengthsBytes = 8;

/** The value length of a deleted record. */
const noValue = 0xffffffff;

/** The longest UTF-8 form of a UTF-16 code unit. Unit: bytes. */
const bytesOfUnitMax = 3;

/** A commit in the log. */
export interface LoggedCommit {
  /** Commits are numbered from 1, without gaps. */
  readonly number: number;
  /** The number of the last commit that was known to be on disk when this one was written. */
  readonly synced: number;
  readonly changes: readonly RecordChange[];
}

/** The location of a whole frame. Positions are in bytes. */
export interface Frame {
  readonly at: number;
  readonly end: number;
  readonly number: number;
}

/** Returns the maximum size of a frame with these changes. Unit: bytes. */
export function frameBytesMax(changes: readonly RecordChange[]): number {
  let units = 0;
  for (const { key, value } of changes) units += key.length + (value?.length ?? 0);
  return headBytes + 2 * numberBytes + lengthsBytes * changes.length + bytesOfUnitMax * units;
}

/** Writes a commit as a frame to the beginning of a buffer with enough space. Returns its length in bytes. */
export function encodeFrame(buffer: Buffer, { number, synced, changes }: LoggedCommit): number {
  let at = buffer.writeDoubleLE(number, headBytes);
  at = buffer.writeDoubleLE(synced, at);
  for (const { key, value } of changes) {
    const lengths = at;
    at += lengthsBytes;
    const keyBytes = buffer.write(key, at, 'utf8');
    at += keyBytes;
    const valueBytes = value === null ? 0 : buffer.write(value, at, 'utf8');
    at += valueBytes;
    buffer.writeUInt32LE(keyBytes, lengths);
    buffer.writeUInt32LE(value === null ? noValue : valueBytes, lengths + 4);
  }
  mark.copy(buffer);
  buffer.writeUInt32LE(at - headBytes, 4);
  buffer.writeUInt32LE(crc32(buffer.subarray(headBytes, at)), 8);
  return at;
}

/** Returns the frame at a position; undefined if there is no whole one. */
export function frameAt(bytes: Buffer, at: number): Frame | undefined {
  const from = at + headBytes;
  if (from + 2 * numberBytes > bytes.length || mark.compare(bytes, at, at + mark.length) !== 0) return undefined;
  const end = from + bytes.readUInt32LE(at + 4);
  if (end > bytes.length || end < from + 2 * numberBytes) return undefined;
  if (crc32(bytes.subarray(from, end)) !== bytes.readUInt32LE(at + 8)) return undefined;
  return { at, end, number: bytes.readDoubleLE(from) };
}

/** Returns the next whole frame at or after a position; undefined if there is none. */
export function findFrame(bytes: Buffer, from: number): Frame | undefined {
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const frame = frameAt(bytes, at);
    if (frame) return frame;
  }
  return undefined;
}

/** Returns `LoggedCommit.synced` of a frame. */
export function syncedOf(bytes: Buffer, { at }: Frame): number {
  return bytes.readDoubleLE(at + headBytes + numberBytes);
}

/** Decodes the changes of a frame. */
export function changesOf(bytes: Buffer, { at, end }: Frame): readonly RecordChange[] {
  const changes: RecordChange[] = [];
  for (let next = at + headBytes + 2 * numberBytes; next < end; ) {
    const [keyBytes, valueBytes] = [bytes.readUInt32LE(next), bytes.readUInt32LE(next + 4)];
    const keyEnd = next + lengthsBytes + keyBytes;
    const isDeleted = valueBytes === noValue;
    const key = bytes.toString('utf8', next + lengthsBytes, keyEnd);
    next = isDeleted ? keyEnd : keyEnd + valueBytes;
    changes.push({ key, value: isDeleted ? null : bytes.toString('utf8', keyEnd, next) });
  }
  return changes;
}
