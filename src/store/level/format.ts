import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../store-error.js';
import type { Engine } from './engine.js';
import { formatKey } from './key-encoding.js';

/** The layout this server writes; docs/storage-format.md describes it. A change that old code cannot read raises it. */
export const storeFormat = 1;

/** The format once more, in a file beside LevelDB's own: LevelDB rewrites its files when it opens them. */
export const formatFile = 'FORMAT';

/**
 * Refuses a folder of another format before anything in it is touched, and tells whether it is marked as one of ours.
 *
 * Errors: StoreError.
 */
export async function checkFormatFile(folder: string): Promise<boolean> {
  const found = (await readFile(join(folder, formatFile), 'utf8').catch(() => '')).trim();
  if (found !== '' && found !== String(storeFormat)) throw otherFormat(found, folder);
  return found !== '';
}

/** Puts the format beside an open store. */
export async function writeFormatFile(folder: string): Promise<void> {
  await writeFile(join(folder, formatFile), `${storeFormat}\n`);
}

/**
 * Makes sure that an open engine holds a store this server can read; marks a new one.
 *
 * Errors: StoreError for a newer format, for a LevelDB that is none of ours, and for an empty one where there should be
 * data. None is changed.
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
    await engine.put(formatKey, String(storeFormat));
    return;
  }
  if (Number(found) !== storeFormat) throw otherFormat(found, location);
}

function otherFormat(found: string, location: string): StoreError {
  return new StoreError(
    'other-format',
    `The data in ${location} has format ${found}; this version reads format ${storeFormat}.`,
    'Use the version that wrote it, or choose another --location.',
  );
}

/** What to do when the system gives a process no more file handles. */
export const raiseFileLimit = 'Raise the limit of open files (ulimit -n) to 1024 or more.';

/** Returns why an engine did not open, with what to do about it. */
export function explainOpenFailure(error: unknown, location: string): StoreError {
  const { code, message } = causeOf(error);
  if (isInUse(error)) {
    return new StoreError(
      'in-use',
      `The data in ${location} is in use by another process.`,
      'Stop it, or choose another --location.',
    );
  }
  if (code === 'LEVEL_CORRUPTION') return damaged(message, location);
  const fault = `The data in ${location} cannot be opened: ${message}.`;
  if (/too many open files/i.test(message)) return new StoreError('too-many-files', fault, raiseFileLimit);
  return new StoreError(
    'no-access',
    fault,
    'See that the folder can be written and its disk has room, or choose another --location.',
  );
}

/** Returns whether an engine did not open because another process has the data. */
export function isInUse(error: unknown): boolean {
  return causeOf(error).code === 'LEVEL_LOCKED';
}

/** Returns whether something could not be written because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return /no space left/i.test(causeOf(error).message);
}

/** Returns the error for data that would be answered wrongly or lost if it were opened. */
export function damaged(reason: string, location: string): StoreError {
  return new StoreError(
    'damaged',
    `The data in ${location} is damaged: ${reason}.`,
    'Nothing was changed. Restore a copy of the folder.',
  );
}

function causeOf(error: unknown): { code: unknown; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}
