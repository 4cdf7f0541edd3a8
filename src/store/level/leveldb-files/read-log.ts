import { crc32c, unmask } from './crc32c.js';

/** Logs are written in blocks of this size; no header crosses from one to the next. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const blockBytes = 32 * 1024;

/** Checksum, length and kind of a piece. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const headerBytes = 7;

/** What a disk writes whole or not at all. Unit: bytes. */
const sectorBytes = 512;

/** The kinds of pieces that records are cut into. Source: LevelDB, doc/log_format.md. */
const piece = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** What a file in LevelDB's log format holds: its log of writes, or its manifest. */
export interface LogContent {
  readonly records: readonly Buffer[];
  /** Where the last whole record ends. Unit: bytes. */
  readonly end: number;
  /** How the file goes on behind that: not at all, with a write that was cut off, or with something that is damaged. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

/**
 * Reads a file in LevelDB's log format up to the first fault.
 *
 * LevelDB itself steps over damaged records without a word, and loses what lies behind them in the same block. A file
 * that merely ends within a record is what a killed process leaves; zeros up to the end are what a power cut leaves.
 */
export function readLog(bytes: Buffer): LogContent {
  const records: Buffer[] = [];
  let pieces: Buffer[] = [];
  let end = 0;
  const stop = (rest: LogContent['rest']): LogContent => ({ records, end, rest });
  for (let at = 0; at < bytes.length; ) {
    const blockLeft = blockBytes - (at % blockBytes);
    if (blockLeft < headerBytes) {
      at += blockLeft;
      continue;
    }
    const found = pieceAt(bytes, at);
    if (found === undefined) return stop(isTorn(bytes, at) ? 'torn' : 'damaged');
    const starts = found.kind === piece.full || found.kind === piece.first;
    if (starts !== (pieces.length === 0)) return stop('damaged');
    pieces.push(found.content);
    at = found.end;
    if (found.kind !== piece.full && found.kind !== piece.last) continue;
    records.push(pieces.length === 1 ? found.content : Buffer.concat(pieces));
    pieces = [];
    end = at;
  }
  return stop(pieces.length > 0 ? 'torn' : 'nothing');
}

/** The whole and undamaged piece at a position. */
function pieceAt(bytes: Buffer, at: number): { kind: number; content: Buffer; end: number } | undefined {
  if (at + headerBytes > bytes.length) return undefined;
  const end = at + headerBytes + bytes.readUInt16LE(at + 4);
  const kind = bytes[at + 6] ?? 0;
  if (kind < piece.full || kind > piece.last || end > bytes.length || end > blockEnd(at)) return undefined;
  if (crc32c(bytes, at + 6, end) !== unmask(bytes.readUInt32LE(at))) return undefined;
  return { kind, content: bytes.subarray(at + headerBytes, end), end };
}

/** Whether the file ends within the piece at a position, or is not written from some byte of it on. */
function isTorn(bytes: Buffer, at: number): boolean {
  const written = writtenBytes(bytes);
  if (written <= at + headerBytes) return true;
  const end = at + headerBytes + bytes.readUInt16LE(at + 4);
  if (end <= written || end > blockEnd(at)) return false;
  // A damaged length can make a whole piece seem torn; but behind a torn one there is no other, nor does its sum fit.
  const isWhole = crc32c(bytes, at + 6, bytes.length) === unmask(bytes.readUInt32LE(at));
  return !isWhole && !pieceBehind(bytes, at);
}

/** How much of a file is written: without whole sectors of zeros at its end. */
function writtenBytes(bytes: Buffer): number {
  let written = bytes.length;
  while (written > 0 && bytes[written - 1] === 0) written--;
  return Math.min(Math.ceil(written / sectorBytes) * sectorBytes, bytes.length);
}

function pieceBehind(bytes: Buffer, torn: number): boolean {
  for (let at = torn + 1; at + headerBytes <= bytes.length; at++) if (pieceAt(bytes, at)) return true;
  return false;
}

function blockEnd(at: number): number {
  return at - (at % blockBytes) + blockBytes;
}
