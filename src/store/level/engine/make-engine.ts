import type { Engine } from './engine.js';

/** The size of LevelDB's write buffer. Unit: bytes. (Our choice: checkpoints write it to a file before it is full, so that none is written twice.) */
const writeBufferBytes = 32 * 1024 * 1024;

/** The size of LevelDB's cache of blocks. Unit: bytes. */
const blockCacheBytes = 32 * 1024 * 1024;

/** Returns a LevelDB on a folder, not yet open. Loads LevelDB when it is called, for a quick start. */
export async function makeEngine(folder: string, options: object = {}): Promise<Engine> {
  const { default: level } = await import('level');
  return new level.Level<string, string>(folder, {
    writeBufferSize: writeBufferBytes,
    cacheSize: blockCacheBytes,
    ...options,
  }) as unknown as Engine;
}

/** Returns an empty engine in memory, not yet open. It keeps its data when it is closed and opened again. */
export async function makeMemoryEngine(): Promise<Engine> {
  const { default: level } = await import('memory-level');
  return new level.MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
}

/** Options with which LevelDB locks a folder and then refuses to open it. They show whether the lock is free. */
export const refuseAfterLock = { createIfMissing: false, errorIfExists: true } as const;
