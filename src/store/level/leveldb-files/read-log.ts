import { crc32c, unmask } from './crc32c.js';

/** Size of the blocks of a log. No header spans two blocks. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const blockBytes = 32 * 1024;

/** Length of the header of a piece: its checksum, length and kind. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const headerBytes = 7;

/** Size of the unit that a disk writes completely or not at all. Unit: bytes. */
const sectorBytes = 512;

/** The kinds of pieces that records are split into. Source: LevelDB, doc/log_format.md. */
const piece = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** The content of a file in LevelDB's log format, which is a log of writes or a manifest. */
export interface LogContent {
  readonly records: readonly Buffer[];
  /** Position of the end of the last complete record. Unit: bytes. */
  readonly end: number;
  /** What follows: nothing, a write that was cut off, or damaged bytes. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

/**
 * Reads a file in LevelDB's log format up to the first fault.
 *
 * LevelDB skips damaged records and the rest of their block, and reports nothing. A killed process leaves a file that ends
 * within a record. A power failure leaves zeros up to the end.
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

/** Returns the piece at a position, or undefined if it is incomplete or damaged. */
function pieceAt(bytes: Buffer, at: number): { kind: number; content: Buffer; end: number } | undefined {
  if (at + headerBytes > bytes.length) return undefined;
  const end = at + headerBytes + bytes.readUInt16LE(at + 4);
  const kind = bytes[at + 6] ?? 0;
  if (kind < piece.full || kind > piece.last || end > bytes.length || end > blockEnd(at)) return undefined;
  if (crc32c(bytes, at + 6, end) !== unmask(bytes.readUInt32LE(at))) return undefined;
  return { kind, content: bytes.subarray(at + headerBytes, end), end };
}

/** Returns whether the piece at a position was cut off: the file ends within it, or only zeros follow. */
function isTorn(bytes: Buffer, at: number): boolean {
  const written = writtenBytes(bytes);
  if (written <= at + headerBytes) return true;
  const end = at + headerBytes + bytes.readUInt16LE(at + 4);
  if (end <= written || end > blockEnd(at)) return false;
  // A complete piece with a damaged length can look torn. But after a torn piece there is not another one, and the
  // checksum of a torn piece does not match.
  const isComplete = crc32c(bytes, at + 6, bytes.length) === unmask(bytes.readUInt32LE(at));
  return !isComplete && !hasPieceAfter(bytes, at);
}

/** Returns the length of a file without whole sectors of zeros at its end. */
export function writtenBytes(bytes: Buffer): number {
  let written = bytes.length;
  while (written > 0 && bytes[written - 1] === 0) written--;
  return Math.min(Math.ceil(written / sectorBytes) * sectorBytes, bytes.length);
}

function hasPieceAfter(bytes: Buffer, torn: number): boolean {
  for (let at = torn + 1; at + headerBytes <= bytes.length; at++) if (pieceAt(bytes, at)) return true;
  return false;
}

function blockEnd(at: number): number {
  return at - (at % blockBytes) + blockBytes;
}
