import { explainOpenFailure, isLockFault } from '../explain-failure.js';
import type { Engine } from './engine.js';

/** The size of LevelDB's write buffer. Unit: bytes. (Our choice: checkpoints write it to a file before it is full.) */
const writeBufferBytes = 32 * 1024 * 1024;

/** The size of LevelDB's block cache. Unit: bytes. */
const blockCacheBytes = 32 * 1024 * 1024;

/** Returns a LevelDB on a folder, not yet open. Loads LevelDB on demand, for a quick start. */
export async function makeEngine(folder: string, options: object = {}): Promise<Engine> {
  const { default: level } = await import('level');
  return new level.Level<string, string>(folder, {
    writeBufferSize: writeBufferBytes,
    cacheSize: blockCacheBytes,
    ...options,
  }) as unknown as Engine;
}

/** Returns an empty engine in memory, not yet open. Its data survives closing and reopening. */
export async function makeMemoryEngine(): Promise<Engine> {
  const { default: level } = await import('memory-level');
  return new level.MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
}

/** Checks that no process has the LevelDB in a folder open. Errors: StoreError, naming `location`, if one has or if it cannot be locked. */
export async function checkNotInUse(folder: string, location = folder): Promise<void> {
  // LevelDB locks the folder, and then fails because it exists.
  const engine = await makeEngine(folder, { createIfMissing: false, errorIfExists: true });
  const rejection: unknown = await engine.open().catch((error: unknown) => error);
  if (isLockFault(rejection)) throw explainOpenFailure(rejection, location);
}
