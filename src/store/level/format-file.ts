import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../../change-file.js';
import { syncFolder } from '../folder/sync-folder.js';
import { StoreError } from '../store-error.js';
import type { Engine } from './engine/engine.js';
import { formatKey } from './engine/key-encoding.js';
import { damaged } from './explain-failure.js';

/** The format of a store without layers, as docs/storage-format.md describes it. Version 0.1.0 reads it. */
export const plainFormat = 1;

/** The format of a store in which tables or snapshots have layers. A store gets it when the first snapshot is taken. */
export const layeredFormat = 2;

/** The format of a store with accounts of other services. A store gets it when the first one is written to. */
export const servicesFormat = 3;

/** The format of a store whose log has only some of its commits: the others went to LevelDB directly. Was never released. */
export const partlyLoggedFormat = 4;

/**
 * The format of a store while a server has it open, and after a kill: the newest commits may be in the log alone, which has all commits
 * that LevelDB may lack. A store that is closed gets the format that its content needs, so that older versions read it.
 */
export const loggedFormat = 5;

const formats = [plainFormat, layeredFormat, servicesFormat, partlyLoggedFormat, loggedFormat];

/**
 * A file with the format version, which every version reads before LevelDB opens and rewrites its own files. It is never below the format
 * in LevelDB, so an older version refuses a folder without changing it.
 */
export const formatFile = 'FORMAT';

/** Follows the version in the file during the first start: nothing that the folder contains was ever served. */
const newState = 'new';

/** A file that is in a data folder while a copy to it is not complete. */
export const unfinishedCopyFile = 'UNFINISHED-COPY';

/** What the file with the format says of a folder. */
export interface FormatMark {
  /** `new` if the first start was cut off; `unmarked` if the file is missing, or empty after a power failure. */
  readonly state: 'used' | 'new' | 'unmarked';
  /** The format version; empty if the folder is unmarked. */
  readonly version: string;
}

/** Reads the file with the format. Changes nothing. Errors: StoreError if it has another version. */
export async function readFormatFile(folder: string): Promise<FormatMark> {
  const text = await readFile(join(folder, formatFile), 'latin1').catch(() => '');
  const found = text.replace(/^[\s\0]+|[\s\0]+$/g, '');
  if (found === '') return { state: 'unmarked', version: '' };
  const [version = '', state] = found.split(' ');
  if (!isKnown(version) || (state !== undefined && state !== newState)) throw otherFormat(found, folder);
  return { state: state === newState ? 'new' : 'used', version };
}

/** Writes the file with the format version. After a power failure it has the old version or the new one. */
export async function writeFormatFile(folder: string, format: number | string, state?: 'new'): Promise<void> {
  const path = join(folder, formatFile);
  await writeFile(`${path}.new`, `${format}${state ? ` ${state}` : ''}\n`, { flush: true });
  await renameFile(`${path}.new`, path);
  await syncFolder(folder);
}

/**
 * Checks that an open engine has a store of this format. Writes the format version into a new one, on disk.
 *
 * Errors: StoreError for another format, for a LevelDB of another program, and for an empty LevelDB unless `isNew`. None
 * of them is changed.
 */
export async function checkFormat(engine: Engine, location: string, isNew: boolean): Promise<void> {
  const found = engine.getSync(formatKey);
  if (found === undefined) {
    if (!isNew) throw damaged('the file FORMAT is there, but not the data', location);
    const [key] = await engine.keys({ limit: 1 }).all();
    if (key !== undefined) {
      throw new StoreError(
        'foreign-data',
        `The folder ${location} holds a LevelDB that is not Tabularium's.`,
        'Choose another --location.',
      );
    }
    await setFormat(engine, plainFormat);
    return;
  }
  if (!isKnown(found)) throw otherFormat(found, location);
}

/** Gives the store in an open engine this format, on disk. */
export async function setFormat(engine: Engine, format: number): Promise<void> {
  const durable: object = { sync: true };
  if (engine.getSync(formatKey) !== String(format)) await engine.put(formatKey, String(format), durable);
}

function isKnown(format: string): boolean {
  return formats.some((known) => format === String(known));
}

function otherFormat(found: string, location: string): StoreError {
  return new StoreError(
    'other-format',
    `The data in ${location} has format ${found}; this version reads formats ${plainFormat} to ${loggedFormat}.`,
    'Use the version that wrote it, or choose another --location.',
  );
}
