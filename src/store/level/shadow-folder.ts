import { copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '../store-error.js';
import { checkFolder, type StoreFiles } from './check-folder.js';
import { checkFormatFile, explainOpenFailure, isDiskFull, isInUse } from './format.js';
import { makeEngine, refuseAfterLock } from './make-engine.js';

/** A temporary folder that stands for a data folder. */
export interface ShadowFolder {
  /** Where LevelDB can open the data. */
  readonly path: string;
  /** Whether there is a store in the data folder. */
  readonly hasStore: boolean;
  /** Whether the data folder was never marked as used. */
  readonly isNew: boolean;
  /** A warning about the data, if the last write was cut off. */
  readonly warning: StoreError | undefined;
  /** Removes the temporary folder. The engine on it must be closed. */
  remove(): Promise<void>;
}

/** The name of LevelDB's lock file. */
const lockFile = 'LOCK';

/**
 * Checks a data folder and makes a temporary folder in which LevelDB can open the data without changing the data folder.
 *
 * LevelDB writes files when it opens a store. In the temporary folder the table files and the lock are links to the real
 * files, which LevelDB only reads, and all other files are copies. An open engine keeps the lock, so no server starts. Must
 * not be called by a process that has the store open, because the process would lose its lock.
 *
 * Errors: StoreError if the store cannot be opened, with what to do; the reason of the signal.
 */
export async function makeShadowFolder(folder: string, signal?: AbortSignal): Promise<ShadowFolder> {
  const isNew = !(await checkFormatFile(folder));
  const path = await makeTemporaryFolder();
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await linkLock(folder, path);
    const { warning, files } = await checkFolder(folder, signal);
    if (files) await copyStore(folder, path, files);
    return { path, hasStore: files !== undefined, isNew, warning, remove };
  } catch (error) {
    await remove();
    signal?.throwIfAborted();
    throw explainShadowFailure(error, folder, path);
  }
}

/** Returns why the data of a folder cannot be read in its shadow folder, with what to do. */
export function explainShadowFailure(error: unknown, folder: string, shadow: string): StoreError {
  if (error instanceof StoreError) return error;
  if (!isDiskFull(error)) return explainOpenFailure(error, folder);
  return new StoreError(
    'disk-full',
    `The disk of the temporary folder ${dirname(shadow)} is full.`,
    'Free space on it, or choose another one with TMPDIR.',
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
      'Choose another one with TMPDIR.',
    );
  }
}

/** Links the lock file and tries to lock it. Errors: StoreError if another process has the store open. */
async function linkLock(folder: string, shadow: string): Promise<void> {
  if (!(await readdir(folder)).includes(lockFile)) return;
  await link(join(folder, lockFile), join(shadow, lockFile));
  const engine = await makeEngine(shadow, refuseAfterLock);
  const refusal: unknown = await engine.open().catch((error: unknown) => error);
  if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
}

/**
 * Copies or links the files of the store, and no others. LevelDB may create a file with the name of a leftover file, and
 * would then write through the link.
 */
async function copyStore(folder: string, shadow: string, { tableFiles, others }: StoreFiles): Promise<void> {
  for (const name of others) await copyFile(join(folder, name), join(shadow, name));
  for (const name of tableFiles) await link(join(folder, name), join(shadow, name));
}

/** Links a file, or copies it if the system does not permit links. */
async function link(from: string, to: string): Promise<void> {
  await symlink(resolve(from), to).catch(() => copyFile(from, to));
}
