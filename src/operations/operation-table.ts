import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import { TableError } from '../protocol/errors.js';
import { createTable } from './create-table.js';
import { deleteEntity } from './delete-entity.js';
import { deleteTable } from './delete-table.js';
import { getEntity } from './get-entity.js';
import { getServiceProperties } from './get-service-properties.js';
import { getServiceStats } from './get-service-stats.js';
import { getTable } from './get-table.js';
import { getTableAcl } from './get-table-acl.js';
import { getUserDelegationKey } from './get-user-delegation-key.js';
import { insertEntity } from './insert-entity.js';
import { mergeEntity } from './merge-entity.js';
import type { Operation } from './operation.js';
import { queryEntities } from './query-entities.js';
import { queryTables } from './query-tables.js';
import { setServiceProperties } from './set-service-properties.js';
import { setTableAcl } from './set-table-acl.js';
import { updateEntity } from './update-entity.js';

/** One operation of the service: which verb on which resource it is, and what its body and answer are written in. */
export interface OperationRow {
  readonly resource: Resource['kind'];
  readonly methods: readonly string[];
  /** Value of `comp` in the query; the operations that have one speak XML. */
  readonly comp?: string;
  readonly operation: Operation;
  /** What the answer's type is negotiated for. A `none` has no body to answer with, so any `Accept` will do. */
  readonly answers: 'json' | 'none' | 'multipart' | 'xml';
  /** The service refuses to answer `Accept: any type` here. Source: recordings, Set Table ACL. */
  readonly refusesAnyType?: true;
  /** What a body must be written in. */
  readonly takes?: 'json' | 'multipart' | 'xml';
}

/** Every operation of the service. Source: operations, "Resource forms". */
export const operationTable: readonly OperationRow[] = [
  { resource: 'tables', methods: ['GET'], operation: queryTables, answers: 'json' },
  { resource: 'tables', methods: ['POST'], operation: createTable, answers: 'json', takes: 'json' },
  { resource: 'table', methods: ['GET'], operation: getTable, answers: 'json' },
  { resource: 'table', methods: ['DELETE'], operation: deleteTable, answers: 'none' },
  { resource: 'entities', methods: ['GET'], operation: queryEntities, answers: 'json' },
  { resource: 'entities', methods: ['POST'], operation: insertEntity, answers: 'json', takes: 'json' },
  { resource: 'entity', methods: ['GET'], operation: getEntity, answers: 'json' },
  { resource: 'entity', methods: ['PUT'], operation: updateEntity, answers: 'none', takes: 'json' },
  { resource: 'entity', methods: ['MERGE', 'PATCH'], operation: mergeEntity, answers: 'none', takes: 'json' },
  { resource: 'entity', methods: ['DELETE'], operation: deleteEntity, answers: 'none' },
  {
    resource: 'batch',
    methods: ['POST'],
    operation: { name: 'Entity Group Transaction', kind: 'batch' },
    answers: 'multipart',
    takes: 'multipart',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['GET', 'HEAD'],
    operation: getTableAcl,
    answers: 'xml',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['PUT'],
    operation: setTableAcl,
    answers: 'xml',
    refusesAnyType: true,
    takes: 'xml',
  },
  {
    resource: 'service',
    comp: 'properties',
    methods: ['GET'],
    operation: getServiceProperties,
    answers: 'xml',
  },
  {
    resource: 'service',
    comp: 'properties',
    methods: ['PUT'],
    operation: setServiceProperties,
    answers: 'xml',
    takes: 'xml',
  },
  {
    resource: 'service',
    comp: 'stats',
    methods: ['GET'],
    operation: getServiceStats,
    answers: 'xml',
  },
  {
    resource: 'service',
    comp: 'userdelegationkey',
    methods: ['POST'],
    operation: getUserDelegationKey,
    answers: 'xml',
    takes: 'xml',
  },
];

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
 * MethodNotAllowed, or UnsupportedHttpVerb where XML is spoken. Source: checks-order, section 2 steps 7 and 9.
 */
export function findOperation(resource: Resource, method: string, query: Query): OperationRow {
  const comp = query.get('comp');
  const verbs = rowsByResource.get(addressOf(resource.kind, comp));
  const row = verbs?.get(method);
  const isMisnamed = verbs && resource.kind === 'service' && query.get('restype') !== 'service';
  if (isMisnamed) throw new TableError('InvalidQueryParameterValue', { clothes: 'xml' });
  if (row) return row;
  if (verbs) throw new TableError(comp === undefined ? 'MethodNotAllowed' : 'UnsupportedHttpVerb');
  if (comp !== undefined) throw new TableError('InvalidQueryParameterValue', { clothes: 'xml' });
  // A verb that changes something has nothing to change at the root; a read finds nothing there.
  throw new TableError(method === 'GET' || method === 'HEAD' ? 'ResourceNotFound' : 'MethodNotAllowed');
}
