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

/** Why the store did not do what was asked. The operations room knows what the service calls it. */
export interface Refusal {
  readonly reason: ChangeRefusal | 'table-missing' | 'table-exists';
  /** Zero-based position of the change at fault. */
  readonly at: number;
}

/** Whether an outcome is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'reason' in outcome;
}

/** A page of a query. */
export interface Page {
  readonly rows: readonly EntityText[];
  /** The first match that the page did not hold; absent at the end of the walk. */
  readonly next?: EntityKey;
}

/** What an engine may answer at once or later. */
export type Answer<T> = T | Promise<T>;

/**
 * Keeps the entities of all accounts in key order and changes them atomically.
 *
 * The contract knows entities, plans, changes and refusals; nothing of its engine, of HTTP or of answers. Table names
 * are case-insensitive. What has been acknowledged is read by everyone afterwards and survives the process. What is not
 * written yet is not read: a table that is being made is not there, one that is being dropped still is.
 */
export interface TableStore {
  /** Makes an empty table, or says `table-exists`. */
  createTable(account: string, name: string): Answer<Table | Refusal>;
  /** Takes a table and all its entities away, or says `table-missing`. The name is free at once. */
  deleteTable(account: string, name: string): Answer<Table | Refusal>;
  /** The table of this name. */
  findTable(account: string, name: string): Answer<Table | undefined>;
  /** All tables of an account by lower-cased name. */
  listTables(account: string): Answer<readonly Table[]>;
  /** One entity of a table, undefined where either is missing. */
  readEntity(account: string, table: string, key: EntityKey): Answer<EntityText | undefined>;
  /** One page of a query, consistent in itself. Errors: Abandoned once `isGone` says that nobody waits for it. */
  readPage(account: string, table: string, plan: QueryPlan, isGone?: () => boolean): Answer<Page | Refusal>;
  /**
   * Makes all of the changes or none: the texts of the entities afterwards, null for deleted ones. Changes are judged
   * in order, each on what those before it made. The answer comes when the changes are kept.
   */
  commit(account: string, table: string, changes: readonly Change[]): Answer<readonly (EntityText | null)[] | Refusal>;
  /** The stored access policies of a table, which go with it; undefined where the table is missing. */
  readAccessPolicies(account: string, table: string): Answer<readonly AccessPolicy[] | undefined>;
  /** Replaces the stored access policies of a table. */
  writeAccessPolicies(account: string, table: string, policies: readonly AccessPolicy[]): Answer<Refusal | undefined>;
  /** The settings of an account; those of a new one where none were written. */
  readServiceProperties(account: string): Answer<ServiceProperties>;
  /** Replaces those settings of an account that are given. Of two calls at once, neither undoes the other's change. */
  writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Answer<void>;
  /** Takes all tables of an account and its settings away, at once: whoever asks afterwards finds a new account. */
  reset(account: string): Answer<void>;
  /** Writes what waits and lets the engine go. */
  close(): Promise<void>;
}

/** What ends a reading whose result nobody waits for any more. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
