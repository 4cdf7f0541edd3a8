import { explainOpenFailure, isLockFault } from '../explain-failure.js';
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

/**
 * Checks that no other process has the LevelDB in a folder open, without opening it. `location` names the data in the error.
 *
 * Errors: StoreError if one has, or if the file system has no locks.
 */
export async function checkNotInUse(folder: string, location = folder): Promise<void> {
  // LevelDB locks the folder first, and then rejects it.
  const engine = await makeEngine(folder, { createIfMissing: false, errorIfExists: true });
  const rejection: unknown = await engine.open().catch((error: unknown) => error);
  if (isLockFault(rejection)) throw explainOpenFailure(rejection, location);
}
