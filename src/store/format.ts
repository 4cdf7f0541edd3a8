import type { Engine } from './commit-queue.js';
import { formatKey } from './key-encoding.js';

/** The layout this server writes; docs/storage-format.md describes it. A change that old code cannot read raises it. */
export const storeFormat = 1;

/** A data folder that this server must not touch. The message says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Makes sure that an open engine holds a store this server can read; marks a new one.
 *
 * Errors: StoreError for a newer format and for a LevelDB that is none of ours. Neither is changed.
 */
export async function checkFormat(engine: Engine, location: string): Promise<void> {
  const found = engine.getSync(formatKey);
  if (found === undefined) {
    const [key] = await engine.keys({ limit: 1 }).all();
    if (key !== undefined) {
      throw new StoreError(
        `The folder ${location} holds a LevelDB that is not Tabularium's. Choose another --location.`,
      );
    }
    await engine.put(formatKey, String(storeFormat));
    return;
  }
  if (Number(found) !== storeFormat) {
    throw new StoreError(
      `The data in ${location} has format ${found}; this version reads format ${storeFormat}. ` +
        'Use the version that wrote it, or choose another --location.',
    );
  }
}

/** Explains why an engine did not open, in words a user can act on. */
export function explainOpenFailure(error: unknown, location: string): StoreError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (code === 'LEVEL_LOCKED') {
    return new StoreError(
      `The data in ${location} is in use by another process. Stop it, or choose another --location.`,
    );
  }
  if (code === 'LEVEL_CORRUPTION') {
    return new StoreError(
      `The data in ${location} is damaged: ${reason}. Nothing was changed. Restore a copy of the folder.`,
    );
  }
  return new StoreError(`The data in ${location} cannot be opened: ${reason}`);
}
