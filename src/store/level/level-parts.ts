import type { Clock } from '../../clock/clock.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { AccountRecord, AccountServices } from '../account-services.js';
import type { CommitListeners } from '../commit-listeners.js';
import type { BranchRecord } from '../snapshots.js';
import type { RecordDirectory } from './directories/record-directory.js';
import type { TableDirectory } from './directories/table-directory.js';
import type { DeadRecords } from './engine/dead-records.js';
import type { Engine } from './engine/engine.js';
import type { EngineGate } from './engine/engine-gate.js';
import type { EngineReopener } from './engine/reopen-engine.js';
import type { HeapBound } from './heap-bound.js';
import type { RowsUsers } from './layers/rows-users.js';
import type { SnapshotRecord } from './layers/snapshot-record.js';
import type { CommitQueue } from './log/commit-queue.js';
import type { FileLogOptions } from './log/file-log.js';
import type { StoredLog } from './log/read-segments.js';
import type { ReadCache } from './read/read-cache.js';

/** The parts of an open store that its tables use. */
export interface LevelParts {
  readonly engine: Engine;
  readonly gate: EngineGate;
  readonly clock: Clock;
  readonly services: AccountServices;
  readonly accounts: RecordDirectory<AccountRecord>;
  readonly tables: TableDirectory;
  readonly snapshots: RecordDirectory<SnapshotRecord>;
  readonly branches: RecordDirectory<BranchRecord>;
  /** By account. Default settings have no record. */
  readonly settings: RecordDirectory<ServiceProperties>;
  readonly users: RowsUsers;
  /** The accounts of the last ended branches: requests in flight must not create tables or settings, which nothing would remove. */
  readonly ended: Set<string>;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly dead: DeadRecords;
  readonly listeners: CommitListeners;
  readonly reopener: EngineReopener;
  /** Absent: the data is on disk. */
  readonly heap: HeapBound | undefined;
}

/** The directories of a store, which are in memory. */
export type Directories = Pick<LevelParts, 'tables' | 'snapshots' | 'branches' | 'accounts' | 'settings'>;

/** The dependencies of a store, except its engine. */
export interface LevelStoreOptions {
  readonly clock: Clock;
  /** The location of the data, for messages. */
  readonly location: string;
  /** The state of an acknowledged write: in the buffers of the operating system (the default), or on disk. */
  readonly durability?: 'os' | 'fsync';
  /** The maximum size of the read cache. Default: 0. Unit: bytes. */
  readonly cacheBytes?: number;
  /** Is called with errors of background work and of listeners. */
  readonly report?: (error: unknown) => void;
  /** The commit log of a folder. Absent: a kill loses the commits that the engine lacks. */
  readonly log?: { readonly folder: string; readonly content: StoredLog } & FileLogOptions;
  /** Whether the location is new. Otherwise an engine without data counts as damaged. */
  readonly isNew?: boolean;
  /** Throws while the disk lacks space to reopen or compact the engine, or to apply a log of this size. Unit: bytes. */
  readonly checkFreeSpace?: (unprovedBytes?: number) => Promise<void>;
  /** Bounds the data in memory. Absent: the data is on disk. */
  readonly heap?: HeapBound;
  /** Throws while no write can succeed. */
  readonly checkWritable?: () => Promise<void>;
}
