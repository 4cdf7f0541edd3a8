import { join } from 'node:path';
import type { Clock } from '../entity/clock.js';
import { checkFolder, type FolderFindings } from './level/check-folder.js';
import { checkRoom, checkWritable, explainFullDisk } from './level/check-room.js';
import type { Engine } from './level/engine.js';
import { checkFormatFile, explainOpenFailure, isDiskFull, isInUse, writeFormatFile } from './level/format.js';
import { openLevelStore } from './level/level-store.js';
import { makeEngine, refuseAfterLock } from './level/make-engine.js';
import { shareWithGroup } from './level/share-with-group.js';
import { writeTableSums } from './level/table-sums.js';
import { makeFolder } from './make-folder.js';
import type { Store } from './store.js';
import { StoreError } from './store-error.js';

/** Where and how entities are kept. */
export interface StoreOptions {
  readonly clock: Clock;
  /** The folder under which the data folder is made; absent keeps everything in memory. */
  readonly location?: string;
  /** What an acknowledged write has reached: the operating system (the default), or the disk. */
  readonly durability?: 'os' | 'fsync';
  /** What the read cache may hold. Unit: bytes. */
  readonly cacheBytes: number;
  readonly report?: (error: unknown) => void;
  /** Ends the opening, which fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The data folder's name within the location, so that LevelDB's many files do not lie among the user's own. */
export const dataFolder = 'tabularium-data';

/**
 * Opens the store. Each engine is loaded only when it is used, for a quick start.
 *
 * Errors: StoreError when the data cannot be opened, with what to do.
 */
export async function openStore({ location, signal, ...options }: StoreOptions): Promise<Store> {
  if (location === undefined) {
    const { MemoryLevel } = await import('memory-level');
    const engine: Engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
    return openLevelStore(engine, { ...options, location: 'memory' });
  }
  const folder = join(location, dataFolder);
  const { isNew, warning, newSums } = await prepareFolder(folder, signal);
  const store = await openLevelStore(await makeEngine(folder), {
    ...options,
    location: folder,
    isNew,
    checkRoom: () => checkRoom(folder),
    checkWritable: () => checkWritable(folder),
  }).catch(async (error: unknown) => {
    throw isDiskFull(error) ? await explainFullDisk(folder) : error;
  });
  if (isNew) await markFolder(folder, store);
  if (warning !== undefined) options.report?.(warning);
  // Without the note the next start takes longer, so a disk that is full is not worth a message.
  if (newSums) await writeTableSums(folder, newSums).catch(() => {});
  await shareWithGroup(location, folder);
  return store;
}

/**
 * Makes the folder where there is none, and checks what it holds without changing it.
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
  // Files that another process writes look damaged, and the check of a large store takes a while.
  await refuseInUse(folder);
  try {
    return { isNew, ...(await checkFolder(folder, signal)) };
  } catch (error) {
    signal?.throwIfAborted();
    // The other process may have started meanwhile.
    await refuseInUse(folder);
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  }
}

async function markFolder(folder: string, store: Store): Promise<void> {
  try {
    await writeFormatFile(folder);
  } catch (error) {
    await store.close();
    throw explainOpenFailure(error, folder);
  }
}

/** Errors: StoreError when another process has the folder. */
async function refuseInUse(folder: string): Promise<void> {
  const engine = await makeEngine(folder, refuseAfterLock);
  const refusal: unknown = await engine.open().catch((error: unknown) => error);
  if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
}
