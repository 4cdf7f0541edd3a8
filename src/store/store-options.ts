import type { Clock } from '../clock/clock.js';

/** The engine of a store, and the location of its data. */
export type StorePlace =
  /** In the memory of this process. The data is lost when the store closes. */
  | { readonly engine: 'memory' }
  /** LevelDB files. `location` is the folder that contains the data folder. */
  | { readonly engine: 'level'; readonly location: string }
  /** A PostgreSQL database, which several servers may share. */
  | ({ readonly engine: 'postgres' } & DatabasePlace);

/** A database, and a store's part of it. */
export interface DatabasePlace {
  /** `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…`. A secret. */
  readonly url: string;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** The maximum number of connections; at least 4. */
  readonly connections: number;
}

/** The options that all engines share. */
export interface StoreOptions {
  readonly clock: Clock;
  /** The state of an acknowledged write: in the buffers of the operating system (the default), or on disk. */
  readonly durability?: 'os' | 'fsync';
  /** The maximum size of the read cache. Unit: bytes. */
  readonly cacheBytes: number;
  /** Is called with errors of background work, and with warnings about the data. */
  readonly report?: (error: unknown) => void;
  /** Cancels the opening, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
