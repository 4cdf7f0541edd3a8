import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import type { Identity } from '../auth/identity.js';
import type { Change } from '../entity/change.js';
import type { EntityText } from '../entity/entity.js';
import type { EntityLinks } from '../entity/write-row.js';
import type { MetadataLevel } from '../protocol/edm.js';
import type { TableStore } from '../store/store.js';
import type { PageBuffer } from './page-buffer.js';
import type { RequiredRight } from './required-right.js';

/** What an insert or a new table shall be answered with. Source: operations 5.4. */
export type Prefer = 'return-content' | 'return-no-content';

/** A request as operations see it: parsed, authenticated, its formats settled. */
export interface OperationRequest {
  readonly account: string;
  /** Sent to the read-only secondary endpoint. */
  readonly secondary: boolean;
  readonly identity: Identity;
  /** What the caller must be allowed to do. */
  readonly right: RequiredRight;
  readonly resource: Resource;
  readonly query: Query;
  /** Scheme, host and account prefix, without a final slash. */
  readonly base: string;
  readonly version: string;
  readonly level: MetadataLevel;
  readonly prefer: Prefer | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** UTF-8 text of the body; empty where there is none. */
  readonly body: string;
  /** Whether the client went away, so that nobody scans a table for no one. */
  isGone(): boolean;
}

/** What an operation answers, as a value; the http room makes bytes of it. */
export interface Answer {
  readonly status: number;
  /** JSON in pure ASCII. */
  readonly json?: string | PageBuffer;
  /** The answers of a transaction, already put together. */
  readonly multipart?: { readonly contentType: string; readonly body: string };
  /** XML with its byte order mark; the empty text is a body of nothing. */
  readonly xml?: string;
  /** An answer without a body that is not OData's: it has neither `Cache-Control` nor nosniff. */
  readonly plain?: true;
  /** Headers that answer a preflight request, as flat pairs. */
  readonly preflight?: readonly string[];
  readonly etag?: string;
  readonly location?: string;
  readonly dataServiceId?: string;
  readonly preferenceApplied?: Prefer;
  /** Headers that lead to the next page, as flat pairs. */
  readonly continuation?: readonly string[];
}

/**
 * An operation that asks the store on its own: `read` reads the request, `run` does what it asks. In between the right
 * is asked.
 */
export interface StoreOperation<Input = unknown> {
  readonly name: string;
  readonly kind: 'store';
  /** Reads the input of a request, without the store. Absent: there is none, or `run` reads it. */
  read?(request: OperationRequest): Input;
  /** Whether `run` refuses a missing table, which then comes before a right that the caller does not have. */
  needsTable?(request: OperationRequest): boolean;
  run(request: OperationRequest, store: TableStore, input: Input): Answer | Promise<Answer>;
}

/**
 * An operation that changes one entity: two pure functions around the store's commit, so that it works alone and
 * within an entity group transaction alike.
 */
export interface WriteOperation {
  readonly name: string;
  readonly kind: 'write';
  /** Reads the request. Faults are the early ones of its ladder. */
  prepare(request: OperationRequest): PreparedChange;
  /** What a change that was made is answered with; `text` is the entity afterwards, null where it is gone. */
  answer(request: OperationRequest, text: EntityText | null): Answer;
}

/** A change whose keys may still be missing, which the service only finds after the table. */
export type PreparedChange = Change | { readonly kind: 'keys-missing' };

/** The one operation made of others: the http room takes it apart. */
export interface BatchOperation {
  readonly name: string;
  readonly kind: 'batch';
}

/** An operation of the service. */
export type Operation = StoreOperation | WriteOperation | BatchOperation;

/** The table that a resource is about. */
export function tableOf(resource: Resource): string {
  return 'table' in resource ? resource.table : '';
}

/** The table that a request names as `Tables('name')`. */
export function namedTable(resource: Resource): string {
  if (resource.kind !== 'table') throw new Error('routed to an operation on one table');
  return resource.table;
}

/** The table and the key of the entity that a request names. */
export function addressedEntity(resource: Resource): Extract<Resource, { readonly kind: 'entity' }> {
  if (resource.kind !== 'entity') throw new Error('routed to an operation on one entity');
  return resource;
}

/** What the links of an answer about a table are made of. */
export function linksOf({ base, account, resource }: OperationRequest): EntityLinks {
  return { base, account, table: tableOf(resource) };
}
