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
import type { RowsUsers } from './layers/rows-users.js';
import type { KeptRecord, SnapshotRecord } from './layers/snapshot-record.js';
import type { CommitQueue } from './log/commit-queue.js';
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
  readonly kept: RecordDirectory<KeptRecord>;
  readonly branches: RecordDirectory<BranchRecord>;
  /** By account; those that were never changed have none. */
  readonly settings: RecordDirectory<ServiceProperties>;
  readonly users: RowsUsers;
  /**
   * The accounts of the branches that ended last. Requests that began before may still create tables and write settings, which nothing would
   * ever remove.
   */
  readonly ended: Set<string>;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly dead: DeadRecords;
  readonly listeners: CommitListeners;
  readonly reopener: EngineReopener;
}

/** What a store keeps in memory of its tables, accounts and snapshots. */
export type Directories = Pick<LevelParts, 'tables' | 'snapshots' | 'kept' | 'branches' | 'accounts' | 'settings'>;
