import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../../change-file.js';
import { StoreError } from '../store-error.js';
import type { Engine } from './engine.js';
import { formatKey } from './key-encoding.js';

/** The format of a store without layers, as docs/storage-format.md describes it. Version 0.1.0 reads it. */
export const plainFormat = 1;

/** The format of a store in which tables or snapshots have layers. A store gets it when the first snapshot is taken. */
export const layeredFormat = 2;

/** The format of a store with accounts of other services. A store gets it when the first one is written to. */
export const servicesFormat = 3;

/**
 * The format of a store while a server has it open, and after a kill: the newest commits may be in the log alone. A store that is
 * closed gets the format that its content needs, so that older versions read it.
 */
export const loggedFormat = 4;

const formats = [plainFormat, layeredFormat, servicesFormat, loggedFormat];

/** A file with the format version, which can be read before LevelDB opens and rewrites its own files. */
export const formatFile = 'FORMAT';

/** A file that is in a data folder while a copy to it is not complete. */
export const unfinishedCopyFile = 'UNFINISHED-COPY';

/**
 * Returns whether the folder has a file with the format version. Changes nothing.
 *
 * Errors: StoreError if it has another version.
 */
export async function checkFormatFile(folder: string): Promise<boolean> {
  const found = (await readFile(join(folder, formatFile), 'utf8').catch(() => '')).trim();
  if (found !== '' && !isKnown(found)) throw otherFormat(found, folder);
  return found !== '';
}

/** Writes the file with the format version. */
export async function writeFormatFile(folder: string, format: string = String(plainFormat)): Promise<void> {
  await writeFile(join(folder, formatFile), `${format}\n`);
}

/** Brings the file with the format version up to date. The record in the engine is the one that counts. */
export async function updateFormatFile(folder: string, format: string): Promise<void> {
  const path = join(folder, formatFile);
  if ((await readFile(path, 'utf8')).trim() === format) return;
  // Never empty, since an empty file would mean a new folder.
  await writeFile(`${path}.new`, `${format}\n`, { flush: true });
  await renameFile(`${path}.new`, path);
}

/**
 * Checks that an open engine has a store of this format. Writes the format version into a new one.
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
    await engine.put(formatKey, String(plainFormat));
    return;
  }
  if (!isKnown(found)) throw otherFormat(found, location);
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

/** What to do when a process cannot open more files. */
export const raiseFileLimit = 'Raise the limit of open files (ulimit -n) to 1024 or more.';

/** Returns why an engine did not open, with what to do about it. */
export function explainOpenFailure(error: unknown, location: string): StoreError {
  const { code, message } = causeOf(error);
  if (isInUse(error)) return inUse(location);
  if (code === 'LEVEL_CORRUPTION') return damaged(message, location);
  const fault = `The data in ${location} cannot be opened: ${message}.`;
  if (/too many open files/i.test(message)) return new StoreError('too-many-files', fault, raiseFileLimit);
  return new StoreError(
    'no-access',
    fault,
    'Check that the folder is writable and that its disk is not full, or choose another --location.',
  );
}

/** Returns the error for data that another process has open. */
export function inUse(location: string): StoreError {
  return new StoreError(
    'in-use',
    `The data in ${location} is in use by another process.`,
    'Stop it, or choose another --location.',
  );
}

/** Returns whether an engine did not open because another process has the data. */
export function isInUse(error: unknown): boolean {
  return causeOf(error).code === 'LEVEL_LOCKED';
}

/** Returns the error for data that would be wrong or lost if the store were opened. */
export function damaged(reason: string, location: string): StoreError {
  return new StoreError(
    'damaged',
    `The data in ${location} is damaged: ${reason}.`,
    'Nothing was changed. Restore a copy of the folder.',
  );
}

/** Returns the error for a folder in which a copy was interrupted, or is under way. */
export function unfinishedCopy(location: string): StoreError {
  return new StoreError(
    'unfinished-copy',
    `The data in ${location} is a copy that is not complete.`,
    'Run tabularium copy again, or delete the folder.',
  );
}

function causeOf(error: unknown): { code: unknown; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}
