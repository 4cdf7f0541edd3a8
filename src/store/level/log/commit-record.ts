import { crc32 } from 'node:zlib';
import { isTornWrite } from '../check/leveldb/torn-write.js';
import type { RecordChange } from '../engine/engine.js';

/** Begins each record. No UTF-8 text contains one of these bytes, so a search for it finds records only. */
const mark = Buffer.from([0xff, 0xfe, 0xfd, 0xfc]);

/** Length of the head of a record: the mark, the length of the rest, and its CRC-32. Unit: bytes. */
const headBytes = 12;

/** Length of the number of a commit, a double. Unit: bytes. */
const numberBytes = 8;

/** Length of what comes before the key and the value of a change: the lengths of both. Unit: bytes. */
const lengthsBytes = 8;

/** Stands for the length of the value of a deleted record. */
const noValue = 0xffffffff;

/** The reversed polynomial of CRC-32. Source: RFC 1952, section 8. */
const polynomial = 0xedb88320;

/** The longest UTF-8 form of a UTF-16 code unit. Unit: bytes. */
const bytesOfUnitMax = 3;

/** Changes that were written together, as the log keeps them. */
export interface LoggedCommit {
  /** Commits are numbered from 1, without gaps. */
  readonly number: number;
  readonly changes: readonly RecordChange[];
}

/** What a file of the log contains. */
export interface LoggedCommits {
  readonly commits: readonly LoggedCommit[];
  /** Position of the end of the last whole record. Unit: bytes. */
  readonly end: number;
  /** What follows: nothing, a record that was cut off, or damaged bytes. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

/** Returns the most that a record of these changes takes. Unit: bytes. */
export function commitBytesMax(changes: readonly RecordChange[]): number {
  let units = 0;
  for (const { key, value } of changes) units += key.length + (value?.length ?? 0);
  return headBytes + numberBytes + lengthsBytes * changes.length + bytesOfUnitMax * units;
}

/** Writes a commit as a record to the beginning of a buffer, which must have space for it. Returns its length in bytes. */
export function encodeCommit(buffer: Buffer, { number, changes }: LoggedCommit): number {
  let at = headBytes;
  buffer.writeDoubleLE(number, at);
  at += numberBytes;
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

/**
 * Reads a file of the log up to the first fault. A killed process leaves a file that ends within a record, a power failure zeros
 * from any byte to the end. Any other fault is damage.
 */
export function decodeCommits(bytes: Buffer): LoggedCommits {
  const commits: LoggedCommit[] = [];
  let end = 0;
  for (let content = readContent(bytes, end); content; content = readContent(bytes, end)) {
    commits.push(decodeContent(content));
    end += headBytes + content.length;
  }
  if (end === bytes.length) return { commits, end, rest: 'nothing' };
  return { commits, end, rest: isTorn(bytes, end) ? 'torn' : 'damaged' };
}

/** Returns what the record at a position has after its head; undefined if there is no whole record. */
function readContent(bytes: Buffer, at: number): Buffer | undefined {
  const from = at + headBytes;
  if (from + numberBytes > bytes.length || mark.compare(bytes, at, at + mark.length) !== 0) return undefined;
  const end = from + bytes.readUInt32LE(at + 4);
  if (end > bytes.length || end < from + numberBytes) return undefined;
  const content = bytes.subarray(from, end);
  return crc32(content) === bytes.readUInt32LE(at + 8) ? content : undefined;
}

function decodeContent(content: Buffer): LoggedCommit {
  const changes: RecordChange[] = [];
  for (let at = numberBytes; at < content.length; ) {
    const keyAt = at + lengthsBytes;
    const valueAt = keyAt + content.readUInt32LE(at);
    const valueBytes = content.readUInt32LE(at + 4);
    const isDeleted = valueBytes === noValue;
    at = isDeleted ? valueAt : valueAt + valueBytes;
    const value = isDeleted ? null : content.toString('utf8', valueAt, at);
    changes.push({ key: content.toString('utf8', keyAt, valueAt), value });
  }
  return { number: content.readDoubleLE(0), changes };
}

/** Whether the record at a position is a torn write rather than damage. */
function isTorn(bytes: Buffer, at: number): boolean {
  const contentAt = at + headBytes;
  const end = contentAt <= bytes.length ? contentAt + bytes.readUInt32LE(at + 4) : contentAt;
  const mismatch = (to: number) => crc32(bytes.subarray(contentAt, to)) ^ bytes.readUInt32LE(at + 8);
  const isWhole = (all: Buffer, from: number) => readContent(all, from) !== undefined;
  return isTornWrite(bytes, { at, contentAt, end, polynomial, mismatch, isWhole });
}
