import { resolve } from 'node:path';
import { makeFolder, syncFolder } from '../folder/make-folder.js';
import { StoreError } from '../store-error.js';
import type { StoreOptions } from '../store-options.js';
import {
  checkFolder,
  cutTornEdit,
  type FolderFindings,
  noFindings,
  removeUnusedStore,
  writeTableChecksums,
} from './check/check-folder.js';
import type { Engine } from './engine/engine.js';
import { checkNotInUse, makeEngine } from './engine/make-engine.js';
import { explainOpenFailure } from './explain-failure.js';
import { type FormatMark, readFormatFile, writeFormatFile } from './format-file.js';
import { checkFreeSpace, checkWritable, explainFullDisk, isDiskFull } from './free-space.js';
import type { LevelStore } from './level-store.js';
import type { FileLogOptions } from './log/file-log.js';
import { openLevelStore } from './open-level-store.js';
import { shareWithGroup } from './share-with-group.js';

/** The data folder within the location, which keeps LevelDB's many files apart from the user's own. */
export const dataFolder = 'tabularium-data';

/** Dependencies that tests replace. */
interface OpeningOptions {
  readonly logOptions?: FileLogOptions;
  readonly makeEngine?: (folder: string) => Promise<Engine>;
}

/**
 * Opens the store in the data folder of a location. Creates the folder if it is missing, and checks all its files before LevelDB opens
 * them. Errors: StoreError with the fix, if the data cannot be opened; the reason of the signal.
 */
export async function openFolder(
  location: string,
  { signal, ...options }: StoreOptions,
  { makeEngine: make = makeEngine, logOptions = {} }: OpeningOptions = {},
): Promise<LevelStore> {
  // Absolute, since a program may change its working directory.
  const folder = resolve(location, dataFolder);
  const { mark, findings } = await prepareFolder(folder, signal);
  const { log: content, newChecksums, hasStore } = findings;
  const isNew = !hasStore || mark.state === 'new';
  let store: LevelStore;
  try {
    if (isNew) await writeFormatFile(folder, 'new');
    await cutTornEdit(folder, findings);
    store = await openLevelStore(await make(folder), {
      ...options,
      ...{ location: folder, log: { folder, content, ...logOptions }, isNew: isNew || mark.state === 'unmarked' },
      checkFreeSpace: (unprovedBytes) => checkFreeSpace(folder, unprovedBytes),
      checkWritable: () => checkWritable(folder),
    });
  } catch (error) {
    if (await isDiskFull(error, folder)) throw await explainFullDisk(folder);
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  }
  try {
    // LevelDB does not sync the names of its files.
    await syncFolder(folder);
    if (isNew || mark.state === 'unmarked') await writeFormatFile(folder);
  } catch (error) {
    await store.close();
    throw explainOpenFailure(error, folder);
  }
  if (content.warning !== undefined) options.report?.(content.warning);
  // Without the checksums the next start merely takes longer.
  if (newChecksums) await writeTableChecksums(folder, newChecksums).catch(() => {});
  await shareWithGroup(location, folder);
  return store;
}

interface PreparedFolder {
  readonly mark: FormatMark;
  readonly findings: FolderFindings;
}

/**
 * Creates the folder if it is missing, and checks its content. Removes the leftovers of an interrupted first start. Errors: StoreError if
 * the folder must not be opened.
 */
async function prepareFolder(folder: string, signal?: AbortSignal): Promise<PreparedFolder> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw explainOpenFailure(error, folder);
  }
  const mark = await readFormatFile(folder);
  // Before the files, because files that another process is writing look damaged.
  await checkNotInUse(folder);
  try {
    return { mark, findings: await checkFolder(folder, mark, signal) };
  } catch (error) {
    signal?.throwIfAborted();
    // Another process may have opened the folder during the check, which can take long.
    await checkNotInUse(folder);
    if (!(error instanceof StoreError)) throw explainOpenFailure(error, folder);
    if (mark.state !== 'new' || error.code !== 'damaged') throw error;
    await removeUnusedStore(folder);
    return { mark, findings: noFindings };
  }
}
