import type { StoreOptions } from '../store-options.js';
import { makeMemoryEngine } from './engine/make-engine.js';
import type { LevelStore } from './level-store.js';
import { openLevelStore } from './open-level-store.js';

/** Opens an empty store in memory. Its data is lost when it closes. */
export async function openInMemory(options: StoreOptions): Promise<LevelStore> {
  return openLevelStore(await makeMemoryEngine(), { ...options, location: 'memory' });
}
