import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import type { Identity } from '../auth/identity.js';
import type { SentEntity } from '../entity/body/sent-entity.js';
import type { Change } from '../entity/stored/change.js';
import type { EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { KeyInfo } from '../protocol/access/user-delegation.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { KnownFilters } from '../query/filter/known-filters.js';
import type { Eventual, TableHandle, TableStore } from '../store/store.js';
import type { Answer } from './answer.js';
import type { OperationRules } from './operation-rules.js';
import type { RequestTables } from './request-tables.js';
import type { RequiredRight } from './required-right.js';

/** A request as operations see it: parsed and authenticated, without its body and the format of its answer. */
export interface OperationRequest {
  readonly resource: Resource;
  /** Everything else. Parts of a batch that differ only in their entities share it. */
  readonly shared: RequestContext;
}

/** The parts of a request besides its resource. */
export interface RequestContext {
  readonly account: string;
  readonly identity: Identity;
  readonly right: RequiredRight;
  readonly query: Query;
  readonly version: string;
  readonly rules: OperationRules;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly filters: KnownFilters;
  readonly tables: RequestTables;
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns whether the client has left. A long scan then stops. */
  isGone(): boolean;
}

/**
 * The body of a request. Each method reads it as one kind of document. An operation calls one method, when its order of checks
 * reaches the body.
 */
export interface RequestBody {
  /** Reads an entity. Errors: InvalidInput, DuplicatePropertiesSpecified, PropertyNameInvalid, OutOfRangeInput. */
  readEntity(): SentEntity;
  /** Reads the entity of an insert, with any further facts that the service keeps of it. Errors: those of `readEntity`. */
  readNewEntity(): SentEntity;
  /** Reads the name of a table. Errors: InvalidInput, DuplicatePropertiesSpecified, PropertiesNeedValue. */
  readTableName(): string;
  /** Reads the stored access policies of a table. Errors: InvalidXmlDocument. */
  readAccessPolicies(): Promise<readonly AccessPolicy[]>;
  /** Reads the settings that the body contains. Errors: InvalidXmlDocument, InvalidXmlNodeValue. */
  readServiceProperties(): Promise<Partial<ServiceProperties>>;
  /** Reads the request for a user delegation key. Errors: InvalidXmlDocument, InvalidXmlNodeValue. */
  readKeyInfo(): Promise<KeyInfo>;
}

/** An operation that uses the store itself: `read` reads the request, `run` carries it out. The permission check comes between the two. */
export interface StoreOperation<Input = unknown> {
  readonly name: OperationName;
  readonly kind: 'store';
  /** Reads the input of a request, without the store. Absent: there is no input. */
  read?(request: OperationRequest, body: RequestBody): Input;
  /** Returns whether `run` rejects a missing table. That fault then comes before a missing right. */
  needsTable?(request: OperationRequest): boolean;
  run(request: OperationRequest, store: TableStore, input: Input): Eventual<Answer>;
}

/**
 * An operation that changes one entity: two pure functions, one before and one after the store's commit. It works both
 * alone and in an entity group transaction.
 */
export interface WriteOperation {
  readonly name: OperationName;
  readonly kind: 'write';
  /** Reads the request. Errors: those that precede the lookup of the table. */
  prepare(request: OperationRequest, body: RequestBody): PreparedChange;
  /** Returns the answer to a committed `change`. `text` is the entity after it, or null if it was deleted. */
  answer(text: EntityText | null, change: Change | undefined): Answer;
}

/** A change, or the lack of its keys, which the service reports only after a missing table. */
export type PreparedChange = Change | MissingKeys;

/** The missing keys of a body, and the names of its properties. */
export interface MissingKeys {
  readonly kind: 'keys-missing';
  readonly keys: readonly string[];
  readonly sent: readonly string[];
}

/** The one operation that consists of others. Service splits it (`service/batch`). */
interface BatchOperation {
  readonly name: OperationName;
  readonly kind: 'batch';
}

/** An operation of the service. */
export type Operation = StoreOperation | WriteOperation | BatchOperation;

/** Returns the table of a resource as the request spells it, or an empty text if the resource has none. */
export function tableOf(resource: Resource): string {
  return 'table' in resource ? resource.table : '';
}

/** Opens the table of a request for entities or policies. It may be missing. Errors: those of `checkAddressedTable`. */
export function openAddressedTable({ resource, shared: { tables, rules } }: OperationRequest): TableHandle {
  const name = tableOf(resource);
  rules.checkAddressedTable(name);
  return tables.open(name);
}

/** Returns the table that a request names as `Tables('name')`. */
export function namedTable(resource: Resource): string {
  if (resource.kind !== 'table') throw new Error('routed to an operation on one table');
  return resource.table;
}

/** Returns the table and the key of the entity that a request names. */
export function addressedEntity(resource: Resource): Extract<Resource, { readonly kind: 'entity' }> {
  if (resource.kind !== 'entity') throw new Error('routed to an operation on one entity');
  return resource;
}
