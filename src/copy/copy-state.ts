import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { removeFile, renameFile } from '../change-file.js';
import { ConfigError } from '../config.js';
import type { EntityKey } from '../entity/stored/entity.js';
import { readUserFile, reasonOf } from '../user-files/read-text-file.js';
import { type Difference, emptyCounts, type RejectedEntity, type RowCounts, type TableReport } from './contract.js';
import { CopyFault, type Position } from './ends/end.js';
import { emptySum, type Sum } from './rows/sum-rows.js';
import { takeLock } from './state-lock.js';

/** The progress of a range: everything up to `after` is written. */
export interface RangeState {
  from?: EntityKey;
  after?: Position;
  before?: EntityKey;
  isDone: boolean;
  /** The changed rows, without those that the target lacks. */
  sum: Sum;
  readonly counts: RowCounts;
  /** The place at which files continue. */
  mark?: number;
}

/** The progress of a table. */
export interface TableState {
  readonly wasEmpty: boolean;
  /** Its result, once it is verified. */
  report?: TableReport;
  readonly ranges: RangeState[];
}

/** The progress of a copy. It has keys of entities, but no secret of an account. */
export interface CopyState {
  readonly version: 1;
  /** Tells copies apart: their ends, without secrets, and their options. */
  readonly id: string;
  /** The key of masks and samples, if it is random: a copy that continues needs it. */
  readonly maskKey?: string;
  /** The hash of the key of the user. */
  readonly maskKeyHash?: string;
  /** By account, if there are several, and name. */
  readonly tables: Record<string, TableState>;
  /** Whether all tables are written, and their files are being moved to their place. */
  isCompleting?: boolean;
  /** What the report needs beside that of each table. Of lists, the first 1,000. */
  readonly found: {
    readonly rejected: RejectedEntity[];
    readonly different: Difference[];
    differences: number;
    readonly notes: string[];
    /** The masks that changed an entity. */
    readonly masked: string[];
  };
}

/** Returns a range that has not begun. */
export function newRange(part: Pick<RangeState, 'from' | 'before' | 'mark'> = {}): RangeState {
  return { ...part, isDone: false, sum: emptySum(), counts: emptyCounts() };
}

/** Returns the state of a copy that has not begun. Of the key of the user, it has only a hash. */
export function newState(id: string, maskKey?: string): CopyState {
  const key =
    maskKey === undefined ? { maskKey: randomBytes(16).toString('hex') } : { maskKeyHash: hashKey(id, maskKey) };
  const found = { rejected: [], different: [], differences: 0, notes: [], masked: [] };
  return { version: 1, id, ...key, tables: {}, found };
}

/** Hashes a key slowly, because it may be easy to guess. */
function hashKey(id: string, maskKey: string): string {
  return scryptSync(maskKey, id, 16).toString('hex');
}

/** Returns the id of a copy. */
export function copyId(wish: object): string {
  return createHash('sha256').update(JSON.stringify(wish)).digest('hex').slice(0, 12);
}

/** Least time between two writes of a state. Unit: milliseconds. (Our choice: a killed copy repeats half a second.) */
const savedMs = 500;

/** The file from which an interrupted copy continues. */
export class StateFile {
  readonly state: CopyState;
  /** Whether an earlier run has left it. */
  readonly continues: boolean;
  readonly #path: string;
  #savedAt = 0;
  #saving: Promise<void> = Promise.resolve();
  /** A write that has not begun, so that it will have what others want to save. */
  #next: Promise<void> | undefined;

  private constructor(path: string, state: CopyState, continues: boolean) {
    this.state = state;
    this.continues = continues;
    this.#path = path;
  }

  /** Opens or begins a state. Errors: CopyFault if it belongs to another copy, or if a copy uses it now; ConfigError if it cannot be read. */
  static async open(path: string, id: string, maskKey?: string): Promise<StateFile> {
    await takeLock(`${path}.lock`);
    try {
      const text = await readStateFile(path);
      const state = text === undefined ? newState(id, maskKey) : readState(path, text);
      if (state.id !== id)
        throw new CopyFault(`${path} belongs to another copy. Delete it, or name another file with --state.`);
      if (state.maskKeyHash !== (maskKey === undefined ? undefined : hashKey(id, maskKey)))
        throw new CopyFault('TABULARIUM_MASK_KEY has changed since the interruption.');
      return new StateFile(path, state, text !== undefined);
    } catch (error) {
      await removeFile(`${path}.lock`);
      throw error;
    }
  }

  /** Saves the state; unless `isForced`, only from time to time. */
  async save(isForced = false): Promise<void> {
    if (!isForced && Date.now() - this.#savedAt < savedMs) return;
    this.#savedAt = Date.now();
    this.#next ??= this.#saving.then(async () => {
      this.#next = undefined;
      // A link in its place is not followed.
      await rm(`${this.#path}.new`, { force: true });
      await writeFile(`${this.#path}.new`, JSON.stringify(this.state), { flag: 'wx', mode: 0o600 });
      await renameFile(`${this.#path}.new`, this.#path);
    });
    this.#saving = this.#next;
    await this.#saving;
  }

  /** Removes it after the end of the copy. */
  async remove(): Promise<void> {
    await this.#saving;
    await removeFile(this.#path);
  }

  /** Lets another process use it. */
  async close(): Promise<void> {
    await this.#saving.catch(() => {});
    await removeFile(`${this.#path}.lock`);
  }
}

/** Reads a state; undefined if there is none. Errors: ConfigError, because a state that cannot be read must not be replaced. */
async function readStateFile(path: string): Promise<string | undefined> {
  try {
    return (await readUserFile(path)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`${path} cannot be read: ${reasonOf(error)}. Name another file with --state.`);
  }
}

function readState(path: string, text: string): CopyState {
  try {
    const state = JSON.parse(text) as CopyState;
    if (state.version === 1) return state;
  } catch {
    // The next line says so.
  }
  throw new CopyFault(`${path} is not the state of a copy. Delete it, or name another file with --state.`);
}
