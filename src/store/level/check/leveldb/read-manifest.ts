import { readVarint } from './encoding.js';
import { readLog } from './read-log.js';

/** The files of a LevelDB, as its manifest lists them. */
export interface Manifest {
  /** The sizes of the sorted table files, by number. Unit: bytes. */
  readonly tableFiles: ReadonlyMap<number, number>;
  /** The number of the oldest log with writes that are not yet in a table file; 0 if there is no such log. */
  readonly log: number;
  /** The position of an edit that was cut off; undefined if there is none. Unit: bytes. */
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

/** Reads a manifest. Returns undefined if it is damaged. An edit that was cut off was never applied, so it is left out. */
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

/** Begins a change that has a value; another one is a deletion. Source: LevelDB, db/dbformat.h. */
const hasValue = 1;

/**
 * Returns the newest value of a key in a log of LevelDB; undefined if it has none, null if a record is damaged: LevelDB skips it and
 * reads later ones.
 */
export function newestValue(log: Buffer, key: string): string | null | undefined {
  const wanted = Buffer.from(key);
  const { records, rest } = readLog(log);
  if (rest === 'damaged') return null;
  // Most batches do not have the bytes of the key at all.
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
