import { readLog } from './read-log.js';
import { readVarint } from './varint.js';

/** Which files a LevelDB is made of, as its manifest says. */
export interface Manifest {
  /** Sizes of the table files by number. Unit: bytes. */
  readonly tables: ReadonlyMap<number, number>;
  /** The oldest log that holds writes not yet in a table; 0 where none is named. */
  readonly log: number;
}

/** What an edit of the manifest is about. Source: LevelDB, db/version_edit.cc. */
const tag = {
  comparator: 1,
  log: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  tableDeleted: 6,
  tableAdded: 7,
  previousLog: 9,
} as const;

/** Reads a manifest; undefined where it is damaged. An edit that was cut off was never in force. */
export function readManifest(bytes: Buffer): Manifest | undefined {
  const { records, rest } = readLog(bytes);
  if (rest === 'damaged' || records.length === 0) return undefined;
  const tables = new Map<number, number>();
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
        case tag.tableDeleted:
          edit.number();
          tables.delete(edit.number());
          break;
        case tag.tableAdded:
          edit.number();
          tables.set(edit.number(), edit.number());
          edit.skipText();
          edit.skipText();
          break;
        default:
          return undefined;
      }
    }
  }
  return { tables, log };
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
