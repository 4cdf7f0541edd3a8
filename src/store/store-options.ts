import type { Clock } from '../clock/clock.js';

/** Where a store keeps its data. It also names the engine, and each engine describes its own kind of place. */
export type StorePlace =
  /** Memory of this process. The data is lost when the store closes. */
  | { readonly engine: 'memory' }
  /** LevelDB files. `location` is the folder that contains the data folder. */
  | { readonly engine: 'level'; readonly location: string }
  /** A database of PostgreSQL, which several servers may share. */
  | ({ readonly engine: 'postgres' } & DatabasePlace);

/** A database, and the part of it that a store uses. */
export interface DatabasePlace {
  /** `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…`. A secret. */
  readonly url: string;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How many connections the store may open; at least 4. */
  readonly connections: number;
}

/** What every engine needs to open a store. */
export interface StoreOptions {
  readonly clock: Clock;
  /** Where an acknowledged write is stored: in the buffers of the operating system (the default), or on disk. */
  readonly durability?: 'os' | 'fsync';
  /** The maximum size of the read cache. Unit: bytes. */
  readonly cacheBytes: number;
  /** Is called with errors of background work, and with warnings about the data. */
  readonly report?: (error: unknown) => void;
  /** Cancels the opening, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
