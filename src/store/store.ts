import type { Change, ChangeRefusal } from '../entity/change.js';
import type { EntityKey, EntityText } from '../entity/entity.js';
import type { AccessPolicy } from '../protocol/access-policy.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { QueryPlan } from '../query/plan.js';

/** A table as its account lists it. */
export interface Table {
  /** In the letter case of its creation. */
  readonly name: string;
  /** When it was created: 100 ns ticks since 1601, in 16 lower-case hex digits. */
  readonly created: string;
}

/** Why the store refused an operation. The operations layer translates it into an error of the service. */
export interface Refusal {
  readonly reason: ChangeRefusal | 'table-missing' | 'table-exists';
  /** Zero-based position of the change at fault. */
  readonly at: number;
}

/** Returns whether an outcome is a refusal. */
export function isRefusal(outcome: object | string | undefined): outcome is Refusal {
  return typeof outcome === 'object' && 'reason' in outcome;
}

/** A page of a query. */
export interface Page {
  readonly rows: readonly EntityText[];
  /** The first match that the page did not hold; absent at the end of the query. */
  readonly next?: EntityKey;
  /** How many rows were tested or taken for the page, `next` included. */
  readonly examined: number;
}

/** A result that an engine may have at once or later. */
export type Answer<T> = T | Promise<T>;

/**
 * One table, for the duration of one request.
 *
 * The first operation on a handle resolves the name, and the handle then stands for that table alone. If the table is
 * dropped, every later operation finds it missing, even when a new table has its name. An engine may resolve the name and
 * do the operation in one round trip, so a request that needs one operation should call no other.
 */
export interface TableHandle {
  /** Returns the table, or undefined when it is missing. */
  find(): Answer<Table | undefined>;
  /** Returns an entity, undefined when it is missing, or `table-missing`. */
  readEntity(key: EntityKey): Answer<EntityText | undefined | Refusal>;
  /**
   * Returns one page of a query, all of it read at the same moment, or `table-missing`.
   *
   * `isGone` returns whether the client has left. Errors: Abandoned once it has.
   */
  readPage(plan: QueryPlan, isGone?: () => boolean): Answer<Page | Refusal>;
  /**
   * Makes all of the changes or none. Returns the entities afterwards (null for deleted ones), or the refusal of the
   * first change that cannot be made. Each change is judged on the result of those before it. Resolves when the changes
   * are kept.
   */
  commit(changes: readonly Change[]): Answer<readonly (EntityText | null)[] | Refusal>;
  /** Returns the stored access policies, or undefined when the table is missing. */
  readAccessPolicies(): Answer<readonly AccessPolicy[] | undefined>;
  /** Replaces the stored access policies, or returns `table-missing`. */
  writeAccessPolicies(policies: readonly AccessPolicy[]): Answer<Refusal | undefined>;
}

/**
 * Keeps the entities of all accounts in key order and changes them atomically.
 *
 * The contract contains entities, plans, changes and refusals; nothing of an engine, of HTTP or of answers. Table names
 * are case-insensitive. An acknowledged change is read by every later request and survives the process. A change that is
 * not written yet is not read: a table that is being created is missing, one that is being dropped is still there.
 */
export interface TableStore {
  /** Creates an empty table, or returns `table-exists`. */
  createTable(account: string, name: string): Answer<Table | Refusal>;
  /** Drops a table with all its entities, or returns `table-missing`. The name is free at once. */
  deleteTable(account: string, name: string): Answer<Table | Refusal>;
  /** Returns a handle to the table of this name, which may be missing. Asks the engine nothing. */
  openTable(account: string, name: string): TableHandle;
  /** Returns all tables of an account by lower-cased name. */
  listTables(account: string): Answer<readonly Table[]>;
  /** Returns the settings of an account; those of a new account if none were written. */
  readServiceProperties(account: string): Answer<ServiceProperties>;
  /** Replaces the given settings of an account. Two calls at once do not undo each other's changes. */
  writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Answer<void>;
  /** Removes all tables of an account and its settings. Later requests find a new account. */
  reset(account: string): Answer<void>;
  /** Writes what waits and closes the engine. */
  close(): Promise<void>;
}

/** An open store with what the operators of a server ask of it. */
export interface Store extends TableStore {
  /** Returns whether the engine answers a read. Errors: the engine's. */
  answers(): Answer<boolean>;
  /** Does nothing when a write can succeed. May repair the engine first. Errors: why no write can succeed. */
  checkWrites(): Promise<void>;
  /** Resolves when no work on dropped tables is left. */
  swept(): Promise<void>;
  /** What the store's cache holds. Unit: bytes, by estimate. */
  readonly cacheBytes: number;
}

/** Ends a read whose client has left. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
