import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../entity/clock.js';
import { checkFolder, type FolderFindings } from './check-folder.js';
import { checkRoom } from './check-room.js';
import type { Engine } from './commit-queue.js';
import {
  checkFormatFile,
  damagedWhileOpen,
  explainOpenFailure,
  isInUse,
  StoreError,
  writeFormatFile,
} from './format.js';
import { type LevelStore, openLevelStore } from './level-store.js';

/** Where and how entities are kept. */
export interface StoreOptions {
  readonly clock: Clock;
  /** The folder under which the data folder is made; absent keeps everything in memory. */
  readonly location?: string;
  readonly fsync?: boolean;
  /** What the read cache may hold. Unit: bytes. */
  readonly cacheBytes: number;
  readonly report?: (error: unknown) => void;
  /** How much of the data is looked at for damage before the store opens; the rest is while it is open. Unit: bytes. */
  readonly checkedBytes?: number;
  /** Hears that the open data is damaged: whoever serves it must stop. */
  readonly damaged?: (error: StoreError) => void;
}

/** The data folder's name within the location, so that LevelDB's many files do not lie among the user's own. */
export const dataFolder = 'tabularium-data';

/** Bytes of newest writes that LevelDB holds in memory before it sorts them into a file. */
const writeBufferBytes = 16 * 1024 * 1024;

/** Bytes of read blocks that LevelDB keeps. */
const blockCacheBytes = 32 * 1024 * 1024;

/** A start may take as long as it takes to look at this much. Unit: bytes. */
const checkedBytesAtStart = 16 * 1024 * 1024;

/**
 * Opens the store. Each engine is loaded only when it is used, for a quick start.
 *
 * Errors: StoreError when the data cannot be opened, with what to do.
 */
export async function openStore({ location, checkedBytes, damaged, ...options }: StoreOptions): Promise<LevelStore> {
  if (location === undefined) {
    const { MemoryLevel } = await import('memory-level');
    const engine: Engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
    return openLevelStore(engine, { ...options, location: 'memory' });
  }
  const folder = join(location, dataFolder);
  const { isNew, warning, unchecked } = await prepareFolder(folder, checkedBytes ?? checkedBytesAtStart);
  const engine = await makeEngine(folder);
  const store = await openLevelStore(engine, {
    ...options,
    location: folder,
    isNew,
    checkRoom: () => checkRoom(folder),
    beforeClose: async () => unchecked?.stop(),
  }).catch(async (error: unknown) => {
    await unchecked?.stop();
    throw error;
  });
  if (isNew) await markFolder(folder, store);
  if (warning !== undefined) options.report?.(new StoreError(warning));
  unchecked?.run().then((name) => name !== undefined && damaged?.(damagedWhileOpen(name, folder)), options.report);
  return store;
}

/**
 * Makes the folder where there is none, and looks at what it holds without changing it.
 *
 * Errors: StoreError when it must not be opened.
 */
async function prepareFolder(folder: string, checkedBytes: number): Promise<FolderFindings & { isNew: boolean }> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw explainOpenFailure(error, folder);
  }
  const isNew = !(await checkFormatFile(folder));
  try {
    return { isNew, ...(await checkFolder(folder, checkedBytes)) };
  } catch (error) {
    // Whoever looks at files while another process writes them finds faults that are none.
    const refusal = await refusalToOpen(folder);
    if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  }
}

async function markFolder(folder: string, store: LevelStore): Promise<void> {
  try {
    await writeFormatFile(folder);
  } catch (error) {
    await store.close();
    throw explainOpenFailure(error, folder);
  }
}

/** What LevelDB says after it has taken its lock, asked for what cannot be: a store that is there and is not. */
async function refusalToOpen(folder: string): Promise<unknown> {
  const engine = await makeEngine(folder, { createIfMissing: false, errorIfExists: true });
  return engine.open().catch((refusal: unknown) => refusal);
}

async function makeEngine(folder: string, options: object = {}): Promise<Engine> {
  const { Level } = await import('level');
  return new Level<string, string>(folder, {
    writeBufferSize: writeBufferBytes,
    cacheSize: blockCacheBytes,
    ...options,
  }) as unknown as Engine;
}
