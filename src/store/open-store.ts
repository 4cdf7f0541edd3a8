import type { Store } from './store.js';
import type { StoreOptions, StorePlace } from './store-options.js';

export type { StorePlace } from './store-options.js';

/** Opens a store. Loads only its engine, for a quick start. Errors: StoreError with the fix; the reason of the signal. */
export async function openStore(place: StorePlace, options: StoreOptions): Promise<Store> {
  switch (place.engine) {
    case 'memory': {
      const { openInMemory } = await import('./level/open-in-memory.js');
      return openInMemory(options);
    }
    case 'level': {
      const { openFolder } = await import('./level/open-folder.js');
      return openFolder(place.location, options);
    }
    case 'postgres': {
      const { openPostgres } = await import('./postgres/open-postgres.js');
      return openPostgres(place, options);
    }
  }
}
