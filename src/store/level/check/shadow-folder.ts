import { copyFile, type FileHandle, link, mkdtemp, open, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { removeFile } from '../../../change-file.js';
import { StoreError } from '../../store-error.js';
import { checkRecords } from '../directories/check-records.js';
import type { Engine } from '../engine/engine.js';
import { checkNotInUse, makeEngine } from '../engine/make-engine.js';
import { explainOpenFailure, inUse } from '../explain-failure.js';
import { readFormatFile } from '../format-file.js';
import { isDiskFull } from '../free-space.js';
import { completeEngine } from '../open-level-store.js';
import { checkFolder, cutTornEdit, noFindings, type StoreFiles } from './check-folder.js';

/** The data of a folder, which LevelDB has open in a temporary folder. */
export interface Shadow {
  /** Undefined if the data folder has no store. */
  readonly engine: Engine | undefined;
  /** Returns why the data cannot be read, with what to do. */
  explain(error: unknown): Promise<StoreError>;
  /** Closes the engine and removes the temporary folder. */
  close(): Promise<void>;
}

/** The variable that names the temporary folder of the system. */
const temporaryVariable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';

/** The name of LevelDB's lock file. */
const lockFile = 'LOCK';

/**
 * Checks a data folder, opens its data in a temporary folder without changing the data folder, and checks all records that are not
 * entities. `report` is called with the warning that a start would report, if the last write was cut off.
 *
 * LevelDB writes files when it opens a store. In the temporary folder the table files and the lock are links to the real
 * files, which LevelDB only reads, and all other files are copies. An open engine keeps the lock, so no server starts. Must
 * not be called by a process that has the store open, because the process would lose its lock.
 *
 * Errors: StoreError if the store cannot be opened, with what to do; the reason of the signal.
 */
export async function openShadow(
  folder: string,
  report: (warning: StoreError) => void,
  signal?: AbortSignal,
): Promise<Shadow> {
  const mark = await readFormatFile(folder);
  const path = await makeTemporaryFolder();
  let lock: FileHandle | undefined;
  let engine: Engine | undefined;
  const close = async () => {
    await engine?.close();
    await lock?.close();
    await removeFile(path);
  };
  const explain = (error: unknown) => explainFailure(error, folder, path);
  try {
    if ((await readdir(folder)).includes(lockFile)) {
      if (process.platform === 'win32') lock = await holdLock(folder);
      else await linkLock(folder, path);
    }
    // Leftovers of a first start are not a store, whatever state they are in.
    const findings = mark.state === 'new' ? noFindings : await checkFolder(folder, mark, signal);
    const { files, log: found } = findings;
    if (found.warning !== undefined) report(found.warning);
    if (!files) return { engine, explain, close };
    await copyStore(folder, path, files);
    await cutTornEdit(path, findings);
    engine = await makeEngine(path);
    await engine.open();
    await completeEngine(engine, { location: folder, isNew: mark.state === 'unmarked', found });
    await checkRecords(engine, folder);
    return { engine, explain, close };
  } catch (error) {
    try {
      signal?.throwIfAborted();
      throw await explain(error);
    } finally {
      await close();
    }
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
