import { crc32c, polynomial, readVarint, unmask } from './encoding.js';

/** The files of a LevelDB, as its manifest lists them. */
export interface Manifest {
  /** The sizes of the sorted table files, by number. Unit: bytes. */
  readonly tableFiles: ReadonlyMap<number, number>;
  /** The number of the oldest log with writes that are not yet in a table file; 0 if there is no such log. */
  readonly log: number;
  /** The position of a torn edit; undefined if there is none. Unit: bytes. */
  readonly tornAt: number | undefined;
}

/** The fields of a version edit. Source: LevelDB, db/version_edit.cc. */
const tag = {
  comparator: 1,
  log: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  fileDeleted: 6,
  fileAdded: 7,
  previousLog: 9,
} as const;

/** Reads a manifest; undefined if it is damaged. A torn edit was never applied, so it is skipped. */
export function readManifest(bytes: Buffer): Manifest | undefined {
  const { records, rest, end } = readLog(bytes);
  if (rest === 'damaged' || records.length === 0) return undefined;
  const tableFiles = new Map<number, number>();
  let log = 0;
  for (const record of records) {
    const edit = new EditReader(record);
    while (edit.isLeft) {
      switch (edit.number()) {
        case tag.log:
          log = edit.number();
          break;
        case tag.nextFile:
        case tag.lastSequence:
        case tag.previousLog:
          edit.number();
          break;
        case tag.comparator:
          edit.skipText();
          break;
        case tag.compactPointer:
          edit.number();
          edit.skipText();
          break;
        case tag.fileDeleted:
          edit.number();
          tableFiles.delete(edit.number());
          break;
        case tag.fileAdded:
          edit.number();
          tableFiles.set(edit.number(), edit.number());
          edit.skipText();
          edit.skipText();
          break;
        default:
          return undefined;
      }
    }
  }
  return { tableFiles, log, tornAt: rest === 'torn' ? end : undefined };
}

class EditReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isLeft(): boolean {
    return this.#at < this.#bytes.length;
  }

  number(): number {
    const [value, next] = readVarint(this.#bytes, this.#at);
    this.#at = next;
    return value;
  }

  skipText(): void {
    const length = this.number();
    this.#at += length;
  }
}

/** Length of the header of a batch: a sequence number and the count of its changes. Unit: bytes. Source: LevelDB, db/write_batch.cc. */
const batchHeaderBytes = 12;

/** Begins a change with a value; any other byte begins a deletion. Source: LevelDB, db/dbformat.h. */
const hasValue = 1;

/** Returns the newest value of a key in a LevelDB log: undefined if absent, null if a record is damaged, which LevelDB would skip. */
export function newestValue(log: Buffer, key: string): string | null | undefined {
  const wanted = Buffer.from(key);
  const { records, rest } = readLog(log);
  if (rest === 'damaged') return null;
  const values = records.flatMap((batch) => (batch.includes(wanted) ? (valueInBatch(batch, wanted) ?? []) : []));
  return values.at(-1)?.toString();
}

function valueInBatch(batch: Buffer, wanted: Buffer): Buffer | undefined {
  let newest: Buffer | undefined;
  const textAt = (at: number): [text: Buffer, next: number] => {
    const [length, start] = readVarint(batch, at);
    return [batch.subarray(start, start + length), start + length];
  };
  for (let at = batchHeaderBytes; at < batch.length; ) {
    const kind = batch[at];
    const [key, behindKey] = textAt(at + 1);
    const [value, behindValue] = kind === hasValue ? textAt(behindKey) : [undefined, behindKey];
    if (key.equals(wanted)) newest = value;
    at = behindValue;
  }
  return newest;
}

/** Size of the blocks of a log. No header spans two blocks. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const blockBytes = 32 * 1024;

/** Length of the header of a piece: its checksum, length and kind. Unit: bytes. Source: LevelDB, doc/log_format.md. */
const headerBytes = 7;

/** The kinds of pieces of a record. Source: LevelDB, doc/log_format.md. */
const piece = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** The content of a file in LevelDB's log format: a log of writes or a manifest. */
interface LogContent {
  readonly records: readonly Buffer[];
  /** The end of the last complete record. Unit: bytes. */
  readonly end: number;
  /** The rest of the file: nothing, a torn write, or damaged bytes. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

/**
 * Reads a file in LevelDB's log format up to the first fault. LevelDB itself silently skips damaged records and the rest of their block.
 * A killed process leaves a file that ends within a record; a power failure leaves zeros from any byte to the end.
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

/** Returns the piece at a position; undefined if it is incomplete or damaged. */
function pieceAt(bytes: Buffer, at: number): { kind: number; content: Buffer; end: number } | undefined {
  if (at + headerBytes > bytes.length) return undefined;
  const end = at + headerBytes + bytes.readUInt16LE(at + 4);
  const kind = bytes[at + 6] ?? 0;
  if (kind < piece.full || kind > piece.last || end > bytes.length || end > blockEnd(at)) return undefined;
  if (mismatch(bytes, at, end) !== 0) return undefined;
  return { kind, content: bytes.subarray(at + headerBytes, end), end };
}

/**
 * Whether an incomplete piece is a torn write rather than damage: the file ends within it, or has only zeros from one of its bytes on.
 * A power failure leaves zeros, because a file system may store the new length of a file before its content.
 *
 * A damaged piece can look torn if its length was changed, or if it ends in zeros. But then its checksum matches up to the end of the
 * file, a single flipped bit explains the fault, or whole pieces follow.
 */
function isTorn(bytes: Buffer, at: number): boolean {
  const contentAt = at + headerBytes;
  const end = contentAt <= bytes.length ? contentAt + bytes.readUInt16LE(at + 4) : contentAt;
  if (end > blockEnd(at)) return false;
  let written = bytes.length;
  while (written > 0 && bytes[written - 1] === 0) written--;
  if (written <= contentAt) return true;
  if (end <= bytes.length) return written < end && !hasFlippedBit(bytes, { at, end, written });
  if (mismatch(bytes, at, bytes.length) === 0) return false;
  for (let next = at + 1; next < written; next++) if (pieceAt(bytes, next)) return false;
  return !hasFlippedBit(bytes, { at, end, written });
}

/** Whether flipping one bit before its last zeros makes a piece whole. Positions are in bytes. */
function hasFlippedBit(
  bytes: Buffer,
  { at, end, written }: { readonly at: number; readonly end: number; readonly written: number },
): boolean {
  const contentAt = at + headerBytes;
  const copy = Buffer.from(bytes);
  for (let bit = 8 * at; bit < 8 * contentAt; bit++) {
    const original = bytes[bit >> 3] ?? 0;
    copy[bit >> 3] = original ^ (1 << (bit & 7));
    if (pieceAt(copy, at)) return true;
    copy[bit >> 3] = original;
  }
  if (end > bytes.length) return false;
  const difference = mismatch(bytes, at, end) | 0;
  // The effect of the last bit on the checksum, then of the bit before it, and so on.
  let effect = polynomial | 0;
  for (let bit = 8 * end - 1; bit >= 8 * contentAt; bit--) {
    if (effect === difference && bit < 8 * written) return true;
    effect = effect & 1 ? (effect >>> 1) ^ polynomial : effect >>> 1;
  }
  return false;
}

/** Returns the stored checksum of a piece XOR the checksum of its bytes up to a position. */
function mismatch(bytes: Buffer, at: number, end: number): number {
  return crc32c(bytes, at + 6, end) ^ unmask(bytes.readUInt32LE(at));
}

function blockEnd(at: number): number {
  return at - (at % blockBytes) + blockBytes;
}
