import { join } from 'node:path';
import { makeFolder } from '../folder/make-folder.js';
import { syncFolder } from '../folder/sync-folder.js';
import { StoreError } from '../store-error.js';
import type { StoreOptions } from '../store-options.js';
import { checkFolder, cutTornEdit, type FolderFindings, noFindings, removeUnusedStore } from './check/check-folder.js';
import { writeTableChecksums } from './check/table-checksums.js';
import { makeEngine, refuseAfterLock } from './engine/make-engine.js';
import { explainOpenFailure, isInUse } from './explain-failure.js';
import { type FormatMark, loggedFormat, readFormatFile, writeFormatFile } from './format-file.js';
import { checkFreeSpace, checkWritable, explainFullDisk, isDiskFull } from './free-space.js';
import type { LevelStore } from './level-store.js';
import { openLevelStore } from './open-level-store.js';
import { shareWithGroup } from './share-with-group.js';

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
  const { state, version, ...findings } = await prepareFolder(folder, signal);
  // A LevelDB without this file may be that of another program, so it is marked when it is known.
  const isMarkedFirst = state !== 'unmarked' || findings.files === undefined;
  try {
    if (isMarkedFirst) await writeFormatFile(folder, loggedFormat, state === 'used' ? undefined : 'new');
    await cutTornEdit(folder, findings);
  } catch (error) {
    throw (await isDiskFull(error, folder)) ? await explainFullDisk(folder) : explainOpenFailure(error, folder);
  }
  const store = await openLevelStore(await makeEngine(folder), {
    ...options,
    location: folder,
    logFolder: folder,
    isNew: state !== 'used',
    checkFreeSpace: () => checkFreeSpace(folder),
    checkWritable: () => checkWritable(folder),
    onClosed: (format) => writeFormatFile(folder, format),
  }).catch(async (error: unknown) => {
    // Nothing was changed yet in data that are refused.
    const isRefused = error instanceof StoreError && (error.code === 'damaged' || error.code === 'other-format');
    if (isRefused && state === 'used') await writeFormatFile(folder, version).catch(() => {});
    throw (await isDiskFull(error, folder)) ? await explainFullDisk(folder) : error;
  });
  try {
    // LevelDB names its files without writing the names to disk.
    await syncFolder(folder);
    if (state !== 'used') await writeFormatFile(folder, loggedFormat);
  } catch (error) {
    await store.close();
    throw explainOpenFailure(error, folder);
  }
  const { warning, newChecksums } = findings;
  if (warning !== undefined) options.report?.(warning);
  // Without the checksums the next start takes longer. That is not worth a message when the disk is full.
  if (newChecksums) await writeTableChecksums(folder, newChecksums).catch(() => {});
  await shareWithGroup(location, folder);
  return store;
}

/** What a data folder contains before it is opened. */
type PreparedFolder = FolderFindings & FormatMark;

/**
 * Creates the folder if it is missing, and checks its content. Changes it only if a first start was cut off: what that has left is removed.
 *
 * Errors: StoreError when it must not be opened.
 */
async function prepareFolder(folder: string, signal?: AbortSignal): Promise<PreparedFolder> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw explainOpenFailure(error, folder);
  }
  const mark = await readFormatFile(folder);
  // Checked before the files: those that another process is writing look damaged.
  await refuseInUse(folder);
  try {
    return { ...mark, ...(await checkFolder(folder, signal)) };
  } catch (error) {
    signal?.throwIfAborted();
    // Another process may have opened the folder during the check, which takes a while in a large store.
    await refuseInUse(folder);
    if (!(error instanceof StoreError)) throw explainOpenFailure(error, folder);
    if (mark.state !== 'new' || error.code !== 'damaged') throw error;
    await removeUnusedStore(folder);
    return { ...mark, ...noFindings };
  }
}

/** Checks that no other process has the folder open. Errors: StoreError. */
async function refuseInUse(folder: string): Promise<void> {
  const engine = await makeEngine(folder, refuseAfterLock);
  const refusal: unknown = await engine.open().catch((error: unknown) => error);
  if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
}
