import { join } from 'node:path';
import { makeFolder } from '../make-folder.js';
import { StoreError } from '../store-error.js';
import type { StoreOptions } from '../store-options.js';
import { checkFolder, type FolderFindings } from './check-folder.js';
import { checkFormatFile, explainOpenFailure, isInUse, updateFormatFile, writeFormatFile } from './format.js';
import { checkFreeSpace, checkWritable, explainFullDisk, isDiskFull } from './free-space.js';
import type { LevelStore } from './level-store.js';
import { makeEngine, refuseAfterLock } from './make-engine.js';
import { openLevelStore } from './open-level-store.js';
import { shareWithGroup } from './share-with-group.js';
import { writeTableChecksums } from './table-checksums.js';

/** The name of the data folder within the location. LevelDB's many files do not mix with the user's own. */
export const dataFolder = 'tabularium-data';

/**
 * Opens the store in the data folder of a location. Creates the folder if it is missing, and checks all its files before
 * LevelDB opens them.
 *
 * Errors: StoreError when the data cannot be opened, with what to do; the reason of the signal.
 */
export async function openFolder(location: string, { signal, ...options }: StoreOptions): Promise<LevelStore> {
  const folder = join(location, dataFolder);
  const { isNew, warning, newChecksums } = await prepareFolder(folder, signal);
  const store = await openLevelStore(await makeEngine(folder), {
    ...options,
    location: folder,
    logFolder: folder,
    isNew,
    checkFreeSpace: () => checkFreeSpace(folder),
    checkWritable: () => checkWritable(folder),
  }).catch(async (error: unknown) => {
    throw (await isDiskFull(error, folder)) ? await explainFullDisk(folder) : error;
  });
  await markFolder(folder, store, isNew);
  if (warning !== undefined) options.report?.(warning);
  // Without the checksums the next start takes longer. That is not worth a message when the disk is full.
  if (newChecksums) await writeTableChecksums(folder, newChecksums).catch(() => {});
  await shareWithGroup(location, folder);
  return store;
}

/**
 * Creates the folder if it is missing, and checks its content without changing it.
 *
 * Errors: StoreError when it must not be opened.
 */
async function prepareFolder(folder: string, signal?: AbortSignal): Promise<FolderFindings & { isNew: boolean }> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw explainOpenFailure(error, folder);
  }
  const isNew = !(await checkFormatFile(folder));
  // Checked before the files: those that another process is writing look damaged.
  await refuseInUse(folder);
  try {
    return { isNew, ...(await checkFolder(folder, signal)) };
  } catch (error) {
    signal?.throwIfAborted();
    // Another process may have opened the folder during the check, which takes a while in a large store.
    await refuseInUse(folder);
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  }
}

/** Writes the file with the format. Errors: StoreError, after the store was closed. */
async function markFolder(folder: string, store: LevelStore, isNew: boolean): Promise<void> {
  try {
    if (isNew) await writeFormatFile(folder);
    else await updateFormatFile(folder, store.format);
  } catch (error) {
    await store.close();
    throw explainOpenFailure(error, folder);
  }
}

/** Checks that no other process has the folder open. Errors: StoreError. */
async function refuseInUse(folder: string): Promise<void> {
  const engine = await makeEngine(folder, refuseAfterLock);
  const refusal: unknown = await engine.open().catch((error: unknown) => error);
  if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
}
