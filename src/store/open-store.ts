import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../entity/clock.js';
import type { Engine } from './commit-queue.js';
import { explainOpenFailure } from './format.js';
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
}

/** The data folder's name within the location, so that LevelDB's many files do not lie among the user's own. */
export const dataFolder = 'tabularium-data';

/** Bytes of newest writes that LevelDB holds in memory before it sorts them into a file. */
const writeBufferBytes = 16 * 1024 * 1024;

/** Bytes of read blocks that LevelDB keeps. */
const blockCacheBytes = 32 * 1024 * 1024;

/**
 * Opens the store. Each engine is loaded only when it is used, for a quick start.
 *
 * Errors: StoreError when the data cannot be opened, with what to do.
 */
export async function openStore({ location, ...options }: StoreOptions): Promise<LevelStore> {
  if (location === undefined) {
    const { MemoryLevel } = await import('memory-level');
    const engine: Engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
    return openLevelStore(engine, { ...options, location: 'memory' });
  }
  const folder = join(location, dataFolder);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw explainOpenFailure(error, folder);
  }
  const { Level } = await import('level');
  const engine: Engine = new Level<string, string>(folder, {
    writeBufferSize: writeBufferBytes,
    cacheSize: blockCacheBytes,
  }) as unknown as Engine;
  return openLevelStore(engine, { ...options, location: folder });
}
