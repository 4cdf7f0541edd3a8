import type { Engine } from './engine.js';

/** Bytes of newest writes that LevelDB holds in memory before it sorts them into a file. */
const writeBufferBytes = 16 * 1024 * 1024;

/** Bytes of read blocks that LevelDB keeps. */
const blockCacheBytes = 32 * 1024 * 1024;

/** Makes a LevelDB of a folder, which is still to be opened. LevelDB is loaded only now, for a quick start. */
export async function makeEngine(folder: string, options: object = {}): Promise<Engine> {
  const { Level } = await import('level');
  return new Level<string, string>(folder, {
    writeBufferSize: writeBufferBytes,
    cacheSize: blockCacheBytes,
    ...options,
  }) as unknown as Engine;
}

/** Makes LevelDB refuse a folder after it has taken the lock: a store that exists and does not exist. */
export const refuseAfterLock = { createIfMissing: false, errorIfExists: true } as const;
