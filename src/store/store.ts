import type { Change, ChangeRejection } from '../entity/stored/change.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { ServiceTraits } from '../protocol/service-traits.js';
import type { PageStart, QueryPlan } from '../query/plan/plan.js';
import type { CommitListener, ListenedTexts, Writer } from './commit-listeners.js';
import type { SnapshotStore } from './snapshots.js';
import type { StoreView, TableSelection } from './stored-parts.js';

/** A table as its account lists it. */
export interface Table {
  /** The name, in the letter case of its creation. */
  readonly name: string;
  /** When it was created: 100 ns ticks since 1601, in 16 lower-case hex digits. */
  readonly created: string;
}

/** Why the store rejected an operation. The operations layer translates it into an error of the service. */
export interface Rejection {
  readonly reason: ChangeRejection | 'table-missing' | 'table-exists';
  /** Zero-based position of the change at fault. */
  readonly at: number;
  /** The entity that the change was judged on, as far as the engine has it with its ETag. */
  readonly existing?: EntityText | undefined;
}

/** Returns whether an outcome is a rejection. */
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
  /** Number of rows that were tested or added for the page, without `next`, which the next page begins with. */
  readonly examined: number;
}

/** A result that is returned at once or later. */
export type Eventual<T> = T | Promise<T>;

/**
 * One table, for the duration of one request.
 *
 * The first operation on a handle resolves the name, and the handle then stands for that table alone. If the table is
 * dropped, every later operation finds it missing, even when a new table has its name. An engine may resolve the name and
 * do the operation in one round trip, so a request that needs one operation should not call another.
 */
export interface TableHandle {
  readonly traits: ServiceTraits;
  /** Returns the table, or undefined when it is missing. */
  find(): Eventual<Table | undefined>;
  /** Returns an entity, undefined when it is missing, or `table-missing`. */
  readEntity(key: EntityKey): Eventual<EntityText | undefined | Rejection>;
  /**
   * Returns one page of a query, or `table-missing`. The whole page shows one moment.
   *
   * `isGone` returns whether the client has disconnected. Errors: Abandoned after it has.
   */
  readPage(plan: QueryPlan, isGone?: () => boolean): Eventual<Page | Rejection>;
  /**
   * Makes all of the changes or none. Returns the new entities (null for deleted ones), or the rejection of the first change
   * that cannot be made. Each change is judged on the result of those before it. Resolves when the changes are durable.
   * `writer` asks for them. The listeners of commits get it.
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
 * The contract consists of entities, plans, changes and rejections. It does not depend on an engine, on HTTP or on answers.
 * Table names are case-insensitive, unless the account's traits make them exact. Every later request sees an acknowledged change, which also survives the end of the
 * process. Readers do not see a change before it is written: a table that is being created is missing, and one that is
 * being dropped still exists.
 */
export interface TableStore {
  /**
   * Tells the store which service an account belongs to. Must be called before anything else of the account, unless it is a
   * storage account. The store keeps the service with the account when it is first written to.
   *
   * Errors: StoreError `other-service` if another service has written to the account.
   */
  openAccount(account: string, traits: ServiceTraits): Eventual<void>;
  /** Creates an empty table, or returns `table-exists`. */
  createTable(account: string, name: string): Eventual<Table | Rejection>;
  /** Drops a table with all its entities, or returns `table-missing`. The name is free at once. */
  deleteTable(account: string, name: string): Eventual<Table | Rejection>;
  /**
   * Returns a handle to the table of this name, which may be missing. Does not use the engine.
   */
  openTable(account: string, name: string): TableHandle;
  /** Returns the form of a table's name in which the names of its account are compared. Does not use the engine. */
  nameKey(account: string, name: string): string;
  /** Returns all tables of an account by lower-cased name. */
  listTables(account: string): Eventual<readonly Table[]>;
  /** Returns the settings of an account; those of a new account if none were written. */
  readServiceProperties(account: string): Eventual<ServiceProperties>;
  /** Replaces the given settings of an account. Two calls at once do not undo each other's changes. */
  writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Eventual<void>;
  /** Removes all tables of an account and its settings. Later requests find a new account. */
  reset(account: string): Eventual<void>;
  /** Writes pending changes and closes the engine. */
  close(): Promise<void>;
}

/** Something that a store counts or holds, for the metrics. */
export interface Measurement {
  /** The rest of the metric's name, after `tabularium_store_`. Counters end with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly value: number;
}

/** How full the memory of a server is, whose data is in memory. */
export interface MemoryUse {
  /** The size of the heap in use. Unit: bytes. */
  readonly usedBytes: number;
  /** The size at which the process would end. Unit: bytes. */
  readonly maxBytes: number;
  readonly isFull: boolean;
}

/** An open store, with what the operation of a server needs. */
export interface Store extends TableStore {
  /** Returns whether the engine answers a read. Errors: the engine's. */
  answers(): Eventual<boolean>;
  /** Resolves if a write can succeed. May reopen the engine first. Errors: the reason why no write can succeed. */
  checkWrites(): Promise<void>;
  /** Resolves when the entities of all dropped tables are deleted. */
  swept(): Promise<void>;
  /**
   * Calls `listener` for every transaction that this process commits from now on. Returns a function that ends the calls.
   * `texts` are those that it wants, by default both.
   */
  onCommit(listener: CommitListener, texts?: ListenedTexts): () => void;
  /**
   * Returns a reader of the wanted tables, with their entities, as they are at this moment. Writes continue and are not seen.
   * It reads neither settings nor the clock, and the entities of a table come in the order of the table. Errors: the engine's.
   */
  openView(isWanted: TableSelection): Promise<StoreView>;
  /**
   * Runs work while no other server of the same data runs any under this. Absent: there is no other server. Errors: the engine's;
   * those of the work.
   */
  alone?<T>(work: () => Promise<T>): Promise<T>;
  /** Returns how full the memory is that has the data. Absent, or undefined: the data is elsewhere. */
  memory?(): MemoryUse | undefined;
  /** Returns what this engine measures, always under the same names. Absent: nothing. */
  measure?(): readonly Measurement[];
  /**
   * How far the clock of the database was ahead of this process's, when it was last read. Unit: milliseconds. Absent: it has none.
   */
  readonly clockAheadMs?: number;
  /** The size of the read cache. Unit: bytes, by estimate. */
  readonly cacheBytes: number;
  /** Keeps whole accounts as they were. */
  readonly snapshots: SnapshotStore;
}

/** Ends a read whose client has disconnected. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
