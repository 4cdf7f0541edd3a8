import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../../change-file.js';
import { syncFolder } from '../folder/make-folder.js';
import { StoreError } from '../store-error.js';
import type { Engine } from './engine/engine.js';
import { formatKey } from './engine/key-encoding.js';
import { damaged } from './explain-failure.js';

/** The version of docs/storage-format.md. */
export const currentFormat = 1;

/** The file with the format, written first. Every version reads it before LevelDB opens and rewrites its own files. */
export const formatFile = 'FORMAT';

/** The maximum length of a foreign format in a message. Unit: UTF-16 code units. (Our choice.) */
const shownMax = 40;

/** The state of a folder, by its format file. */
export interface FormatMark {
  /** `new` if the first start was interrupted, so no client ever saw the data. `unmarked` if the file is missing or empty. */
  readonly state: 'used' | 'new' | 'unmarked';
}

/** Reads the format file. Changes nothing. Errors: StoreError if it has another version. */
export async function readFormatFile(folder: string): Promise<FormatMark> {
  const content = await readFile(join(folder, formatFile), 'latin1').catch(() => '');
  const text = content.replace(/^[\s\0]+|[\s\0]+$/g, '');
  if (text === '') return { state: 'unmarked' };
  if (text === String(currentFormat)) return { state: 'used' };
  if (text === `${currentFormat} new`) return { state: 'new' };
  throw otherFormat(text, folder);
}

/** Writes the format file. After a power failure it has the old content or the new one. */
export async function writeFormatFile(folder: string, state?: 'new'): Promise<void> {
  const path = join(folder, formatFile);
  await writeFile(`${path}.new`, state ? `${currentFormat} ${state}\n` : `${currentFormat}\n`, { flush: true });
  await renameFile(`${path}.new`, path);
  await syncFolder(folder);
}

/**
 * Checks that an open engine has a store of the current format. Writes the format into a new one. Errors: StoreError for another
 * format, for a LevelDB of another program, and for an empty LevelDB unless `isNew`; none of them is changed.
 */
export async function checkFormat(engine: Engine, location: string, isNew: boolean): Promise<void> {
  const found = engine.getSync(formatKey);
  if (found === undefined) {
    if (!isNew) throw damaged('the file FORMAT is there, but not the data', location, 'opened');
    const [key] = await engine.keys({ limit: 1 }).all();
    if (key !== undefined) {
      throw new StoreError(
        'foreign-data',
        `The folder ${location} holds a LevelDB that is not Tabularium's.`,
        'Choose another --location.',
      );
    }
    const durable: object = { sync: true };
    await engine.put(formatKey, String(currentFormat), durable);
  } else if (found !== String(currentFormat)) throw otherFormat(found, location);
}

function otherFormat(found: string, location: string): StoreError {
  const shown = found.slice(0, shownMax).replace(/[^ -~]/g, '?') + (found.length > shownMax ? '…' : '');
  return new StoreError(
    'other-format',
    `The data in ${location} has format ${shown}; this version reads format ${currentFormat}.`,
    'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
  );
}
