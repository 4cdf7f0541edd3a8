import type { StoreLoader, StoreReader } from './copy/stored-parts.js';
import type { Store } from './store.js';
import type { StoreOptions, StorePlace } from './store-options.js';

export type { StorePlace } from './store-options.js';

/**
 * Opens the store at a place. Loads only the engine that the place names, for a quick start.
 *
 * Errors: StoreError when the data cannot be opened, with what to do; the reason of the signal.
 */
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

/** A place whose data outlives a process, so that it can be copied. */
export type LastingPlace = Exclude<StorePlace, { engine: 'memory' }>;

/** What opening a place for a copy needs. */
export interface CopyPlaceOptions {
  /** Is called with warnings about the data. */
  readonly report: (warning: unknown) => void;
  /** Cancels the opening, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the data at a place for reading. Checks it as a server does at its start, and changes nothing.
 *
 * Errors: StoreError when there is no data or it cannot be read, with what to do; the reason of the signal.
 */
export async function openReader(place: LastingPlace, options: CopyPlaceOptions): Promise<StoreReader> {
  if (place.engine === 'level') {
    const { openFolderReader } = await import('./level/copy/read-folder.js');
    return openFolderReader(place.location, options);
  }
  const { openDatabaseReader } = await import('./postgres/copy/read-database.js');
  return openDatabaseReader(place, options);
}

/**
 * Opens an empty place for loading, or one in which a copy was interrupted, which is emptied.
 *
 * Errors: StoreError when the place has data or cannot be written, with what to do; the reason of the signal.
 */
export async function openLoader(place: LastingPlace, options: CopyPlaceOptions): Promise<StoreLoader> {
  if (place.engine === 'level') {
    const { openFolderLoader } = await import('./level/copy/load-folder.js');
    return openFolderLoader(place.location);
  }
  const { openDatabaseLoader } = await import('./postgres/copy/load-database.js');
  return openDatabaseLoader(place, options);
}
