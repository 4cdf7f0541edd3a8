import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import { TableError } from '../protocol/errors.js';
import type { Right } from '../protocol/permissions.js';
import { createTable } from './create-table.js';
import { deleteEntity } from './delete-entity.js';
import { deleteTable } from './delete-table.js';
import { getEntity } from './get-entity.js';
import { getServiceProperties } from './get-service-properties.js';
import { getServiceStats } from './get-service-stats.js';
import { getTable } from './get-table.js';
import { getTableAcl } from './get-table-acl.js';
import { getUserDelegationKey } from './get-user-delegation-key.js';
import { isUnconditional } from './if-match.js';
import { insertEntity } from './insert-entity.js';
import { mergeEntity } from './merge-entity.js';
import type { Operation } from './operation.js';
import { queryEntities } from './query-entities.js';
import { queryTables } from './query-tables.js';
import { setServiceProperties } from './set-service-properties.js';
import { setTableAcl } from './set-table-acl.js';
import { updateEntity } from './update-entity.js';

/**
 * One operation of the service: which verb on which resource it is, what its caller must be allowed to do, and what its
 * body and answer are written in.
 */
export interface OperationRow {
  readonly resource: Resource['kind'];
  readonly methods: readonly string[];
  /** Value of `comp` in the query; the operations that have one speak XML. */
  readonly comp?: string;
  readonly operation: Operation;
  readonly right: Right;
  /** Without `If-Match` the row is this other operation, which may also insert the entity. */
  readonly upsert?: { readonly name: string; readonly right: Right };
  /** Only the secondary endpoint serves it. */
  readonly secondaryOnly?: true;
  /** What the answer's type is negotiated for. A `none` has no body to answer with, so any `Accept` will do. */
  readonly answers: 'json' | 'none' | 'multipart' | 'xml';
  /** The service refuses to answer `Accept: any type` here. Source: operations 8.5. */
  readonly refusesAnyType?: true;
  /** What a body must be written in. */
  readonly takes?: 'json' | 'multipart' | 'xml';
}

/** The right to an operation on tables. */
function tableRight(permissions: readonly string[], asked: Right['asked'] = 'before-input'): Right {
  return { asked, bearerToken: true, accountSignature: { resourceType: 'c', permissions } };
}

/** The right to an operation on entities, for which both kinds of signature need the same letters. */
function entityRight(letters: string): Right {
  const accountSignature = { resourceType: 'o', permissions: [letters] } as const;
  return { asked: 'table-found', bearerToken: true, accountSignature, tableSignature: letters };
}

/** The right to an operation on the whole account. */
function serviceRight(permission: string): Right {
  const accountSignature = { resourceType: 's', permissions: [permission] } as const;
  return { asked: 'before-headers', bearerToken: true, accountSignature };
}

/** The right that Shared Key alone has. */
const sharedKeyRight: Right = { asked: 'before-headers' };

/** Every operation of the service. Source: operations 1.2; auth 2.6. */
export const operationTable: readonly OperationRow[] = [
  { resource: 'tables', methods: ['GET'], operation: queryTables, right: tableRight(['l']), answers: 'json' },
  {
    resource: 'tables',
    methods: ['POST'],
    operation: createTable,
    right: tableRight(['c', 'w'], 'after-input'),
    answers: 'json',
    takes: 'json',
  },
  { resource: 'table', methods: ['GET'], operation: getTable, right: tableRight(['l']), answers: 'json' },
  { resource: 'table', methods: ['DELETE'], operation: deleteTable, right: tableRight(['d']), answers: 'none' },
  { resource: 'entities', methods: ['GET'], operation: queryEntities, right: entityRight('r'), answers: 'json' },
  {
    resource: 'entities',
    methods: ['POST'],
    operation: insertEntity,
    right: entityRight('a'),
    answers: 'json',
    takes: 'json',
  },
  { resource: 'entity', methods: ['GET'], operation: getEntity, right: entityRight('r'), answers: 'json' },
  {
    resource: 'entity',
    methods: ['PUT'],
    operation: updateEntity,
    right: entityRight('u'),
    upsert: { name: 'Insert Or Replace Entity', right: entityRight('au') },
    answers: 'none',
    takes: 'json',
  },
  {
    resource: 'entity',
    methods: ['MERGE', 'PATCH'],
    operation: mergeEntity,
    right: entityRight('u'),
    upsert: { name: 'Insert Or Merge Entity', right: entityRight('au') },
    answers: 'none',
    takes: 'json',
  },
  { resource: 'entity', methods: ['DELETE'], operation: deleteEntity, right: entityRight('d'), answers: 'none' },
  {
    resource: 'batch',
    methods: ['POST'],
    operation: { name: 'Entity Group Transaction', kind: 'batch' },
    right: { asked: 'of-each-part' },
    answers: 'multipart',
    takes: 'multipart',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['GET', 'HEAD'],
    operation: getTableAcl,
    right: sharedKeyRight,
    answers: 'xml',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['PUT'],
    operation: setTableAcl,
    right: sharedKeyRight,
    answers: 'xml',
    refusesAnyType: true,
    takes: 'xml',
  },
  {
    resource: 'service',
    comp: 'properties',
    methods: ['GET'],
    operation: getServiceProperties,
    right: serviceRight('r'),
    answers: 'xml',
  },
  {
    resource: 'service',
    comp: 'properties',
    methods: ['PUT'],
    operation: setServiceProperties,
    right: serviceRight('w'),
    answers: 'xml',
    takes: 'xml',
  },
  {
    resource: 'service',
    comp: 'stats',
    methods: ['GET'],
    operation: getServiceStats,
    right: serviceRight('r'),
    secondaryOnly: true,
    answers: 'xml',
  },
  {
    resource: 'service',
    comp: 'userdelegationkey',
    methods: ['POST'],
    operation: getUserDelegationKey,
    // It is answered with 501 before its right is asked.
    right: { asked: 'after-input', bearerToken: true },
    answers: 'xml',
    takes: 'xml',
  },
];

/** The right that a request for an operation requires: without `If-Match`, an update may also insert. */
export function rightOf(row: OperationRow, ifMatch: string | undefined): Right {
  return row.upsert && isUnconditional(ifMatch) ? row.upsert.right : row.right;
}

/** The rows by resource and `comp`, then by verb: every request, and every part of a transaction, asks. */
const rowsByResource = new Map<string, Map<string, OperationRow>>();
for (const row of operationTable) {
  const address = addressOf(row.resource, row.comp);
  const verbs = rowsByResource.get(address) ?? new Map<string, OperationRow>();
  for (const method of row.methods) verbs.set(method, row);
  rowsByResource.set(address, verbs);
}

function addressOf(resource: Resource['kind'], comp: string | undefined): string {
  return comp === undefined ? resource : `${resource}?${comp}`;
}

/**
 * The operation that a verb on a resource means.
 *
 * Errors: ResourceNotFound where the resource has none at all, InvalidQueryParameterValue for an unknown `comp` or a `restype`
 * other than `service`,
 * MethodNotAllowed, or UnsupportedHttpVerb where XML is spoken. Source: checks-order 2 steps 7 and 9.
 */
export function findOperation(resource: Resource, method: string, query: Query): OperationRow {
  const comp = query.get('comp');
  const verbs = rowsByResource.get(addressOf(resource.kind, comp));
  const row = verbs?.get(method);
  const isMisnamed = verbs && resource.kind === 'service' && query.get('restype') !== 'service';
  if (isMisnamed) throw new TableError('InvalidQueryParameterValue', { variant: { name: 'comp-unknown' } });
  if (row) return row;
  if (verbs) throw new TableError(comp === undefined ? 'MethodNotAllowed' : 'UnsupportedHttpVerb');
  if (comp !== undefined) throw new TableError('InvalidQueryParameterValue', { variant: { name: 'comp-unknown' } });
  // A verb that changes something has nothing to change at the root; a read finds nothing there.
  throw new TableError(method === 'GET' || method === 'HEAD' ? 'ResourceNotFound' : 'MethodNotAllowed');
}
