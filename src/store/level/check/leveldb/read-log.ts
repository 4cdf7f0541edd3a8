import { crc32c, polynomial, unmask } from './crc32c.js';
import { isTornWrite } from './torn-write.js';

/** Size of the blocks of a log. No header spans two blocks. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const blockBytes = 32 * 1024;

/** Length of the header of a piece: its checksum, length and kind. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const headerBytes = 7;

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
 * within a record. A power failure leaves zeros from any byte to the end.
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

/** Whether the piece at a position is a torn write rather than damage. */
function isTorn(bytes: Buffer, at: number): boolean {
  const contentAt = at + headerBytes;
  const end = contentAt <= bytes.length ? contentAt + bytes.readUInt16LE(at + 4) : contentAt;
  if (end > blockEnd(at)) return false;
  const mismatch = (to: number) => crc32c(bytes, at + 6, to) ^ unmask(bytes.readUInt32LE(at));
  const isWhole = (all: Buffer, from: number) => pieceAt(all, from) !== undefined;
  return isTornWrite(bytes, { at, contentAt, end, polynomial, mismatch, isWhole });
}

function blockEnd(at: number): number {
  return at - (at % blockBytes) + blockBytes;
}
