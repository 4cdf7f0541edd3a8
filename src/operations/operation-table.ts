import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import type { Right } from '../protocol/access/permissions.js';
import { roleNeeds } from '../protocol/access/roles.js';
import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import { getServiceProperties, getServiceStats, getUserDelegationKey, setServiceProperties } from './account.js';
import { isUnconditional } from './if-match.js';
import type { Operation } from './operation.js';
import { getEntity, queryEntities } from './read-entities.js';
import { createTable, deleteTable, getTable, getTableAcl, queryTables, setTableAcl } from './tables.js';
import { deleteEntity, insertEntity, mergeEntity, updateEntity } from './write-entities.js';

/** One operation of the service: its verb and resource, the right that it requires, and the formats of its body and answer. */
export interface OperationRow {
  readonly resource: Resource['kind'];
  readonly methods: readonly string[];
  /** The value of `comp` in the query. Operations with it use XML. */
  readonly comp?: string;
  readonly operation: Operation;
  readonly right: Right;
  /** Without `If-Match`, the row is this other operation, which may also insert the entity. */
  readonly upsert?: { readonly name: keyof typeof roleNeeds; readonly right: Right };
  /** Only the secondary endpoint serves it. */
  readonly secondaryOnly?: true;
  /** The format of the answer. `odata` is negotiated: JSON or Atom. `none` has no body, so any `Accept` is valid. */
  readonly answers: 'odata' | 'none' | 'multipart' | 'xml';
  /** Whether the service rejects an `Accept` of all types. Source: operations 8.5. */
  readonly rejectsAnyType?: true;
  /** The format of the body. Absent: the operation does not read a body. */
  readonly takes?: 'odata' | 'multipart' | 'xml';
}

/** Every version has bearer tokens. */
const { oldest } = protocolVersions;

function tableRight(permissions: readonly string[], moment: Right['moment'] = 'before-input'): Right {
  return { moment, tokenSince: oldest, accountSignature: { resourceType: 'c', permissions } };
}

/** Returns the right to an operation on entities. Both kinds of signature need the same permissions. */
function entityRight(letters: string): Right {
  const accountSignature = { resourceType: 'o', permissions: [letters] } as const;
  return { moment: 'table-found', tokenSince: oldest, accountSignature, tableSignature: letters };
}

function serviceRight(permission: string): Right {
  const accountSignature = { resourceType: 's', permissions: [permission] } as const;
  return { moment: 'before-headers', tokenSince: oldest, accountSignature };
}

/** The right to the access policies of a table. Signatures never have it. Source: auth 4. */
const policyRight: Right = { moment: 'before-headers', tokenSince: protocolVersions.policiesByToken };

/** The rows, still without role actions. */
const rows: readonly OperationRow[] = [
  { resource: 'tables', methods: ['GET'], operation: queryTables, right: tableRight(['l']), answers: 'odata' },
  {
    resource: 'tables',
    methods: ['POST'],
    operation: createTable,
    right: tableRight(['c', 'w'], 'after-input'),
    answers: 'odata',
    takes: 'odata',
  },
  { resource: 'table', methods: ['GET'], operation: getTable, right: tableRight(['l']), answers: 'odata' },
  { resource: 'table', methods: ['DELETE'], operation: deleteTable, right: tableRight(['d']), answers: 'none' },
  { resource: 'entities', methods: ['GET'], operation: queryEntities, right: entityRight('r'), answers: 'odata' },
  {
    resource: 'entities',
    methods: ['POST'],
    operation: insertEntity,
    right: entityRight('a'),
    answers: 'odata',
    takes: 'odata',
  },
  { resource: 'entity', methods: ['GET'], operation: getEntity, right: entityRight('r'), answers: 'odata' },
  {
    resource: 'entity',
    methods: ['PUT'],
    operation: updateEntity,
    right: entityRight('u'),
    upsert: { name: 'Insert Or Replace Entity', right: entityRight('au') },
    answers: 'none',
    takes: 'odata',
  },
  {
    resource: 'entity',
    methods: ['MERGE', 'PATCH'],
    operation: mergeEntity,
    right: entityRight('u'),
    upsert: { name: 'Insert Or Merge Entity', right: entityRight('au') },
    answers: 'none',
    takes: 'odata',
  },
  { resource: 'entity', methods: ['DELETE'], operation: deleteEntity, right: entityRight('d'), answers: 'none' },
  {
    resource: 'batch',
    methods: ['POST'],
    operation: { name: 'Entity Group Transaction', kind: 'batch' },
    right: { moment: 'of-each-part' },
    answers: 'multipart',
    takes: 'multipart',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['GET', 'HEAD'],
    operation: getTableAcl,
    right: policyRight,
    answers: 'xml',
  },
  {
    resource: 'entities',
    comp: 'acl',
    methods: ['PUT'],
    operation: setTableAcl,
    right: policyRight,
    answers: 'xml',
    rejectsAnyType: true,
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
    // Callers without an identity get 501 before that.
    right: { moment: 'after-input', tokenSince: protocolVersions.userDelegation },
    answers: 'xml',
    takes: 'xml',
  },
];

/** Every operation of the service. Source: operations 1.2; auth 2.6; identity 4. */
export const operationTable: readonly OperationRow[] = rows.map(withRoles);

function withRoles(row: OperationRow): OperationRow {
  const { operation, right, upsert } = row;
  if (operation.name === 'Entity Group Transaction') return row;
  return {
    ...row,
    right: { ...right, role: roleNeeds[operation.name] },
    ...(upsert && { upsert: { ...upsert, right: { ...upsert.right, role: roleNeeds[upsert.name] } } }),
  };
}

/** Returns the right that a request requires. Without `If-Match`, an update may also insert. */
export function rightOf(row: OperationRow, ifMatch: string | undefined): Right {
  return row.upsert && isUnconditional(ifMatch) ? row.upsert.right : row.right;
}

/** The rows by `comp`, then by resource, then by verb. Every request and every part of a transaction looks up its row. */
const rowsByComp: ReadonlyMap<string | undefined, ReadonlyMap<string, ReadonlyMap<string, OperationRow>>> = indexRows();

function indexRows() {
  const index = new Map<string | undefined, Map<string, Map<string, OperationRow>>>();
  for (const row of operationTable) {
    const resources = index.get(row.comp) ?? new Map<string, Map<string, OperationRow>>();
    const verbs = resources.get(row.resource) ?? new Map<string, OperationRow>();
    for (const method of row.methods) verbs.set(method, row);
    index.set(row.comp, resources.set(row.resource, verbs));
  }
  return index;
}

/**
 * Returns the operation of a verb on a resource.
 *
 * Errors: ResourceNotFound if the resource has no operation, InvalidQueryParameterValue for an unknown `comp` or a `restype`
 * other than `service`, MethodNotAllowed, or UnsupportedHttpVerb for a resource with `comp`.
 * Source: checks-order 2 steps 7 and 9.
 */
export function findOperation(resource: Resource, method: string, query: Query): OperationRow {
  const comp = query.get('comp');
  const verbs = rowsByComp.get(comp)?.get(resource.kind);
  const row = verbs?.get(method);
  const isMisnamed = verbs && resource.kind === 'service' && query.get('restype') !== 'service';
  if (isMisnamed) throw new TableError('InvalidQueryParameterValue', { variant: { name: 'comp-unknown' } });
  if (row) return row;
  if (verbs) throw new TableError(comp === undefined ? 'MethodNotAllowed' : 'UnsupportedHttpVerb');
  if (comp !== undefined) throw new TableError('InvalidQueryParameterValue', { variant: { name: 'comp-unknown' } });
  // At the root, a read finds nothing, and other verbs are not allowed.
  throw new TableError(method === 'GET' || method === 'HEAD' ? 'ResourceNotFound' : 'MethodNotAllowed');
}
