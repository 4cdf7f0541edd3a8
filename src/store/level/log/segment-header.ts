import { crc32 } from 'node:zlib';

/** Begins each segment: the name of the format and its version. */
const name = Buffer.from('TABLOG\u0005\n', 'latin1');

/** Length of the header of a segment. Unit: bytes. */
export const segmentHeaderBytes = 40;

/** The header of a segment. */
export interface SegmentHeader {
  /** The number in the segment's name. */
  readonly number: number;
  /** The number of its first commit. It overrides the frames of older segments from this number on. */
  readonly first: number;
  /** The number of the last commit that LevelDB had proved on disk. The log may lack it and earlier ones. */
  readonly proved: number;
}

/** Returns the name of a segment's file. */
export function segmentName(number: number): string {
  return `COMMITS-${String(number).padStart(8, '0')}`;
}

/** Returns the number in the name of a segment's file; undefined for other files. */
export function segmentNumber(fileName: string): number | undefined {
  const [, digits] = /^COMMITS-(\d{8})$/.exec(fileName) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns a header as bytes. Numbers are little-endian. */
export function encodeSegmentHeader({ number, first, proved }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(segmentHeaderBytes);
  name.copy(bytes);
  bytes.writeUInt32LE(number, 8);
  bytes.writeDoubleLE(first, 16);
  bytes.writeDoubleLE(proved, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36)), 36);
  return bytes;
}

/** Returns the header of a segment; undefined if it is incomplete or has another number. */
export function decodeSegmentHeader(bytes: Buffer, number: number): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderBytes || name.compare(bytes, 0, name.length) !== 0) return undefined;
  if (crc32(bytes.subarray(0, 36)) !== bytes.readUInt32LE(36) || bytes.readUInt32LE(8) !== number) return undefined;
  return { number, first: bytes.readDoubleLE(16), proved: bytes.readDoubleLE(24) };
}
