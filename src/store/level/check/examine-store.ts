import { copyFile, type FileHandle, link, mkdtemp, open, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { removeFile } from '../../../change-file.js';
import { StoreError } from '../../store-error.js';
import { checkRecords, readClock } from '../directories/check-records.js';
import type { Engine } from '../engine/engine.js';
import { checkNotInUse, makeEngine } from '../engine/make-engine.js';
import { explainOpenFailure, inUse } from '../explain-failure.js';
import { readFormatFile } from '../format-file.js';
import { isDiskFull } from '../free-space.js';
import { completeEngine } from '../open-level-store.js';
import { checkFolder, cutTornEdit, noFindings, type StoreFiles } from './check-folder.js';

/** The variable that names the temporary folder of the system. */
const temporaryVariable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';

/** The name of LevelDB's lock file. */
const lockFile = 'LOCK';

/**
 * Checks whether a server could open the store in a data folder, and returns the last Timestamp in it; undefined if it has none. Changes
 * nothing in the folder. `report` is called with the warnings that a start would report. Must not be called by a process that has the
 * store open, because the process would lose its lock.
 *
 * LevelDB writes files when it opens a store. So it opens a temporary folder, in which the table files and the lock are links to the real
 * files, which LevelDB only reads, and all other files are copies. While it is open, no server starts.
 *
 * Errors: StoreError if the store cannot be opened, with what to do.
 */
export async function examineStore(folder: string, report: (warning: StoreError) => void): Promise<string | undefined> {
  const mark = await readFormatFile(folder);
  const path = await makeTemporaryFolder();
  let lock: FileHandle | undefined;
  let engine: Engine | undefined;
  try {
    if ((await readdir(folder)).includes(lockFile)) {
      if (process.platform === 'win32') lock = await holdLock(folder);
      else await linkLock(folder, path);
    }
    // Leftovers of a first start are not a store, whatever state they are in.
    const findings = mark.state === 'new' ? noFindings : await checkFolder(folder, mark);
    const { files, log: found } = findings;
    if (found.warning !== undefined) report(found.warning);
    if (!files) return undefined;
    await copyStore(folder, path, files);
    await cutTornEdit(path, findings);
    engine = await makeEngine(path);
    await engine.open();
    await completeEngine(engine, { location: folder, isNew: mark.state === 'unmarked', found });
    await checkRecords(engine, folder);
    return readClock(engine, folder);
  } catch (error) {
    throw await explainFailure(error, folder, path);
  } finally {
    await engine?.close();
    await lock?.close();
    await removeFile(path);
  }
}

async function explainFailure(error: unknown, folder: string, shadow: string): Promise<StoreError> {
  if (error instanceof StoreError) return error;
  if (!(await isDiskFull(error, shadow))) return explainOpenFailure(error, folder);
  return new StoreError(
    'disk-full',
    `The disk of the temporary folder ${dirname(shadow)} is full.`,
    `Free space on it, or choose another one with ${temporaryVariable}.`,
  );
}

async function makeTemporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'tabularium-shadow-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      'no-access',
      `A temporary folder cannot be made: ${reason}.`,
      `Choose another one with ${temporaryVariable}.`,
    );
  }
}

/**
 * Opens the lock file on Windows, where an open file is a lock: LevelDB opens it without sharing it. While the handle is open, no
 * server can open the store. Errors: StoreError if another process has the store open.
 */
async function holdLock(folder: string): Promise<FileHandle> {
  try {
    return await open(join(folder, lockFile), 'r+');
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && error.code === 'EBUSY';
    throw isHeld ? inUse(folder) : error;
  }
}

/** Links the lock file and tries to lock it. Errors: StoreError if another process has the store open. */
async function linkLock(folder: string, shadow: string): Promise<void> {
  await symlink(resolve(folder, lockFile), join(shadow, lockFile));
  await checkNotInUse(shadow, folder);
}

/**
 * Copies or links the files of the store, and no others. LevelDB may create a file with the name of a leftover file, and
 * would then write through the link.
 */
async function copyStore(folder: string, shadow: string, { tableFiles, others }: StoreFiles): Promise<void> {
  for (const name of others) await copyFile(join(folder, name), join(shadow, name));
  for (const name of tableFiles) await linkOrCopy(join(folder, name), join(shadow, name));
}

/** Links a file, or copies it where links are not permitted: on Windows, users need a right for symbolic links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await symlink(resolve(from), to)
    .catch(() => link(from, to))
    .catch(() => copyFile(from, to));
}
