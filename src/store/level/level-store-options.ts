import type { Clock } from '../../clock/clock.js';
import type { FileLogOptions } from './log/file-log.js';
import type { FoundLog } from './log/read-segments.js';

/** What a store needs besides its engine. */
export interface LevelStoreOptions {
  readonly clock: Clock;
  /** The name of the place of the data in messages. */
  readonly location: string;
  /** Where an acknowledged write is stored: in the buffers of the operating system (the default), or on disk. */
  readonly durability?: 'os' | 'fsync';
  /** The maximum size of the read cache. Default: 0. Unit: bytes. */
  readonly cacheBytes?: number;
  /** Is called with errors of background work and of listeners. */
  readonly report?: (error: unknown) => void;
  /** The log of commits, as it was found in a folder. Absent: a kill loses the commits that the engine lacks. */
  readonly log?: { readonly folder: string; readonly found: FoundLog } & FileLogOptions;
  /** Whether the place was never used. Otherwise an engine without data counts as damaged. */
  readonly isNew?: boolean;
  /** Throws while there is not enough free space to reopen or compact the engine, or for the engine to take a log of this size. Unit: bytes. */
  readonly checkFreeSpace?: (unprovedBytes?: number) => Promise<void>;
  /** Throws while no write can succeed. */
  readonly checkWritable?: () => Promise<void>;
}
