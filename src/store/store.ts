import type { Change, ChangeRejection } from '../entity/stored/change.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { ServiceTraits } from '../protocol/service-traits.js';
import type { PageStart, QueryPlan } from '../query/plan/plan.js';
import type { CommitListener, ListenerTexts, TableListener, Writer } from './commit-listeners.js';
import type { SnapshotStore } from './snapshots.js';
import type { StoreView, TableSelection } from './stored-parts.js';

/** A table in the list of its account. */
export interface Table {
  /** The name, in the letter case of its creation. */
  readonly name: string;
  /** The creation time: 100 ns ticks since 1601, in 16 lower-case hex digits. */
  readonly created: string;
}

/** The reason why the store rejected an operation. The operations layer translates it into an error of the service. */
export interface Rejection {
  readonly reason: ChangeRejection | 'table-missing' | 'table-exists';
  /** Zero-based position of the change at fault. */
  readonly at: number;
  /** The entity before the change, if the engine knows it with its ETag. */
  readonly existing?: EntityText | undefined;
}

/** Whether an outcome is a rejection. */
export function isRejection(outcome: object | string | undefined): outcome is Rejection {
  return typeof outcome === 'object' && 'reason' in outcome;
}

/** A page of a query. */
export interface Page {
  readonly rows: readonly EntityText[];
  /** The first match that did not fit; absent at the end of the query. */
  readonly next?: PageStart;
  /** The next page begins with the partition of `next`, so its token needs no row key. No engine returns this; faults do. */
  readonly startsPartition?: true;
  /** Number of rows tested or added for the page, without `next`. */
  readonly examined: number;
}

/** A result, or a promise of it. */
export type Eventual<T> = T | Promise<T>;

/**
 * One table, for the duration of one request.
 *
 * The first operation on a handle resolves the name, and binds the handle to that table. Once the table is dropped, every later operation
 * finds it missing, even if a new table has its name. An engine may resolve the name and run the operation in one round trip, so a
 * request should not add an operation just for that.
 */
export interface TableHandle {
  readonly traits: ServiceTraits;
  /** Returns the table, or undefined when it is missing. */
  find(): Eventual<Table | undefined>;
  /** Returns an entity, undefined when it is missing, or `table-missing`. */
  readEntity(key: EntityKey): Eventual<EntityText | undefined | Rejection>;
  /** Returns one page of a query, of one moment, or `table-missing`. `isGone`: whether the client has disconnected. Errors: Abandoned. */
  readPage(plan: QueryPlan, isGone?: () => boolean): Eventual<Page | Rejection>;
  /**
   * Applies all changes or none. Returns the new entities (null for deleted ones), or the rejection of the first change that fails. Each
   * change is judged on the result of those before it. Resolves when the changes are durable. `writer` is for the commit listeners.
   */
  commit(changes: readonly Change[], writer?: Writer): Eventual<readonly (EntityText | null)[] | Rejection>;
  /** Returns the stored access policies, or undefined when the table is missing. */
  readAccessPolicies(): Eventual<readonly AccessPolicy[] | undefined>;
  /** Replaces the stored access policies, or returns `table-missing`. */
  writeAccessPolicies(policies: readonly AccessPolicy[]): Eventual<Rejection | undefined>;
}

/**
 * Keeps the entities of all accounts in key order and changes them atomically.
 *
 * The contract consists of entities, plans, changes and rejections. It does not depend on an engine, on HTTP or on answers. Table names
 * are case-insensitive, unless the account's traits make them exact. Every later request sees an acknowledged change, which also survives
 * the end of the process. Readers see only written changes: a table is missing until its creation is written, and exists until its drop is.
 */
export interface TableStore {
  /**
   * Assigns an account to a service. Must be the first call for the account, unless it is a storage account. The first write to the account
   * stores its service. Errors: StoreError `other-service` if another service has written to the account.
   */
  openAccount(account: string, traits: ServiceTraits): Eventual<void>;
  /** Creates an empty table, or returns `table-exists`. */
  createTable(account: string, name: string): Eventual<Table | Rejection>;
  /** Drops a table with all its entities, or returns `table-missing`. The name is free at once. */
  deleteTable(account: string, name: string): Eventual<Table | Rejection>;
  /** Returns a handle to the table of this name, which may be missing. Does not use the engine. */
  openTable(account: string, name: string): TableHandle;
  /** Returns a table's name in the form that comparisons in its account use. Does not use the engine. */
  nameKey(account: string, name: string): string;
  /** Returns all tables of an account, in ordinal order of their names in the form for comparisons. */
  listTables(account: string): Eventual<readonly Table[]>;
  /** Returns the settings of an account, with defaults for those never written. */
  readServiceProperties(account: string): Eventual<ServiceProperties>;
  /** Replaces some settings of an account. Concurrent calls keep each other's changes. */
  writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Eventual<void>;
  /** Removes the tables, the settings and the service of an account. */
  reset(account: string): Eventual<void>;
  /** Writes pending changes and closes the engine. */
  close(): Promise<void>;
}

/** A measurement of a store, for the metrics. */
export interface Measurement {
  /** The rest of the metric's name, after `tabularium_store_`. Counters end with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly value: number;
}

/** The memory use of a store in memory. */
export interface MemoryUse {
  /** The size of the heap in use. Unit: bytes. */
  readonly usedBytes: number;
  /** The size at which the process would end. Unit: bytes. */
  readonly maxBytes: number;
  readonly isFull: boolean;
}

/** An open store, with the functions for operating a server. */
export interface Store extends TableStore {
  /** Whether the engine answers a read. Errors: the engine's. */
  answers(): Eventual<boolean>;
  /** Checks that a write can succeed. May reopen the engine. Errors: the reason why no write can succeed. */
  checkWrites(): Promise<void>;
  /** Resolves when the entities of all dropped tables are deleted. */
  swept(): Promise<void>;
  /** Notifies `listener` of every later transaction of this process. Returns a function that removes it. Default for `texts`: both. */
  onCommit(listener: CommitListener, texts?: ListenerTexts): () => void;
  /** Notifies `listener` of every table that this process later creates or deletes by itself. */
  onTable(listener: TableListener): void;
  /** Opens a view of the wanted tables and their entities, as of this moment. Writes continue. Errors: the engine's. */
  openView(isWanted: TableSelection): Promise<StoreView>;
  /** Runs work under a lock of the servers of the same data. Absent: there is no other server. Errors: those of the engine and the work. */
  alone?<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the memory use. Absent, or undefined: the data is not in memory. */
  memory?(): MemoryUse | undefined;
  /** Returns the measurements of this engine, always under the same names. Absent: none. */
  measure?(): readonly Measurement[];
  /** The lead of the database's clock over this process's, when last read. Unit: milliseconds. Absent: it has no clock. */
  readonly clockAheadMs?: number;
  /** The size of the read cache. Unit: bytes, by estimate. */
  readonly cacheBytes: number;
  readonly snapshots: SnapshotStore;
}

/** Aborts a read whose client has disconnected. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
