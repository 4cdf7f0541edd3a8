import type { StoreOptions } from '../store-options.js';
import { makeMemoryEngine } from './engine/make-engine.js';
import { HeapBound } from './heap-bound.js';
import type { LevelStore } from './level-store.js';
import { openLevelStore } from './open-level-store.js';

/** Opens an empty store in memory, whose data is lost when it closes. Writes are rejected before the data fills the heap. */
export async function openInMemory(options: StoreOptions): Promise<LevelStore> {
  const { report = () => {} } = options;
  return openLevelStore(await makeMemoryEngine(), { ...options, location: 'memory', heap: new HeapBound(report) });
}
