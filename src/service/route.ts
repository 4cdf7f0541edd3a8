import { parseResource } from '../address/parse-address.js';
import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import { signedRangeOf } from '../auth/authorize.js';
import type { Identity } from '../auth/identity.js';
import type { EntityLinks } from '../entity/stored/write-row.js';
import type { AtomRepresentation, JsonRepresentation, Prefer } from '../formats/representation.js';
import { isUnconditional } from '../operations/if-match.js';
import { tableOf } from '../operations/operation.js';
import { findOperation, rightOf } from '../operations/operation-table.js';
import { missingTableFirst } from '../operations/rejections.js';
import { RequiredRight } from '../operations/required-right.js';
import { notInService, TableError } from '../protocol/errors.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';
import type { MetadataLevel } from '../protocol/values/edm.js';
import { protocolVersions } from '../protocol/versions.js';
import { invalidOption } from '../query/query-options.js';
import type { Writer } from '../store/commit-listeners.js';
import type { TableHandle } from '../store/store.js';
import { checkJsonAccept, checkXmlAccept, negotiateFormat } from './negotiate.js';
import type { Service } from './service.js';
import type { Authenticated, Routed } from './stages.js';

type TableSignature = Extract<Identity, { readonly kind: 'table-signature' }>;

/** The verb and the headers of a request, or of a part of a batch. */
export interface RequestHead {
  readonly method: string;
  readonly headers: HeaderFields;
  readonly isPart?: true;
}

/** Parses the resource of a request. Errors: those of the service for a path that it does not have. */
export function readResource(
  { dialect }: Service,
  { received, addressed, tables }: Authenticated,
): Resource | Promise<never> {
  const { requests, operations } = dialect;
  const { account, resourcePath } = addressed.address;
  const { method } = received;
  requests.checkPath(resourcePath, method);
  const path = parseResource(resourcePath);
  const read = path.kind === 'nested' ? requests.readNestedPath(path, { account, method }) : path;
  if (read.kind !== 'unserved') return read;
  operations.checkAddressedTable(read.table);
  return rejectBelow(tables.open(read.table), read.fault);
}

async function rejectBelow(table: TableHandle, fault: TableError): Promise<never> {
  throw await missingTableFirst(table, fault);
}

/**
 * Checks that an operation on the secondary endpoint only reads. A batch may be a query: only its body tells.
 *
 * Errors: InsufficientAccountPermissions. Source: checks-order 2 step 12.
 */
export function checkReadOnly({ dialect }: Service, { row }: Routed): void {
  if (!dialect.requests.hasReadOnlySecondary || row.methods.includes('GET') || row.operation.kind === 'batch') return;
  throw new TableError('InsufficientAccountPermissions');
}

/** Checks that a signature covers whole tables, if the service has no others. Errors: MethodNotAllowed. Source: cosmos 15.13. */
export function checkSignedRange({ dialect }: Service, identity: TableSignature): void {
  if (dialect.requests.hasSignedRanges) return;
  const { from, to } = signedRangeOf(identity) ?? {};
  if (from || to) throw notInService('MethodNotAllowed', 'signed-range', { name: 'signed-range' });
}

/**
 * Finds the operation of a request, or of a part of a batch, which has its own verb, headers, resource and query.
 *
 * Errors: those of steps 8 to 11. Source: checks-order 2.
 */
export function routeTo(
  { dialect, filters, now }: Service,
  authenticated: Authenticated,
  head: RequestHead,
  resource: Resource,
  query: Query,
): Routed {
  const { received, addressed, identity, tables } = authenticated;
  const { version, address } = addressed;
  const { account, base, secondary } = address;
  const { requests, operations: rules } = dialect;
  if (!requests.takesPatch && head.method === 'PATCH') throw notInService('InvalidInput', 'patch');
  const tunnelled = head.headers['x-http-method'];
  const method = tunnelled === undefined ? head.method : tunnelledMethod(head, tunnelled);
  const row = findOperation(resource, method, query);
  const ifMatch = head.headers['if-match'];
  const right = new RequiredRight(rightOf(row, ifMatch), identity, resource, { account, version });
  right.checkAt('before-headers');
  if (row.secondaryOnly && !secondary) throw new TableError('InvalidQueryParameterValue');
  const timeout = query.get('timeout');
  if (timeout !== undefined) checkTimeout(timeout);
  const accept = head.headers['accept'];
  const checksXml = row.takes === 'xml' && version >= protocolVersions.xmlAcceptChecked;
  if (checksXml) checkXmlAccept(accept, !row.rejectsAnyType);
  const isUpsert = row.upsert !== undefined && isUnconditional(ifMatch);
  if (requests.upsertsNegotiate && isUpsert && !head.isPart) checkJsonAccept(accept);
  const option = query.get('$format');
  const first = requests.acceptFirst ? accept : option;
  const second = requests.acceptFirst ? option : accept;
  const format = negotiateFormat(first, second, version, row.answers === 'odata', requests.speaksAtom);
  const links = { base, account, table: tableOf(resource) };
  const { prefer: sentPrefer } = head.headers;
  const prefer = sentPrefer === undefined ? undefined : readPrefer(method, sentPrefer);
  const representation =
    format === 'atom' ? atomFor(head, received, prefer, links, now()) : jsonAt(format, prefer, links, version);
  const ifNoneMatch = head.headers['if-none-match'];
  const isGone = () => received.isGone();
  const shared = {
    account,
    identity,
    right,
    query,
    version,
    rules,
    filters,
    tables,
    now,
    isGone,
    ifMatch,
    ifNoneMatch,
  };
  return { authenticated, row, request: { resource, shared }, representation };
}

/** Returns the result of `routeTo` for the same request of another entity of its table. */
export function routeAlike({ authenticated, row, request, representation }: Routed, resource: Resource): Routed {
  return { authenticated, row, request: { resource, shared: request.shared }, representation };
}

function jsonAt(
  level: MetadataLevel,
  prefer: Prefer | undefined,
  links: EntityLinks,
  version: string,
): JsonRepresentation {
  return { level, prefer, links, untagged: version < protocolVersions.etagAtMinimalMetadata };
}

/** A part of a batch without `MaxDataServiceVersion` has that of the batch. Source: atom 3.1. */
function atomFor(
  { headers }: RequestHead,
  { headers: outer }: RequestHead,
  prefer: Prefer | undefined,
  links: EntityLinks,
  now: number,
): AtomRepresentation {
  const newest = headers['maxdataserviceversion'] ?? outer['maxdataserviceversion'];
  const updated = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return { level: 'atom', prefer, links, declaresGeography: takesGeography(newest), updated };
}

/** Whether a client of this `MaxDataServiceVersion`, such as `3.0;NetFx`, reads geographic data. Source: atom 3.1. */
function takesGeography(newest: string | undefined): boolean {
  const [, major] = /^\s*(\d+)/.exec(newest ?? '') ?? [];
  return major === undefined || Number(major) >= 3;
}

/**
 * Returns the verb of a request. A POST may name another verb in a header, and a part of a batch its own verb.
 *
 * Errors: XMethodNotUsingPost, XMethodIncorrectCount, XMethodIncorrectValue. Source: operations 8.11; batch 5.
 */
function tunnelledMethod({ method, isPart }: RequestHead, tunnelled: string): string {
  if (isPart && tunnelled === method) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  // A repeated header arrives joined with commas.
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!['MERGE', 'PATCH', 'PUT', 'DELETE'].includes(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

/** Checks that the timeout is a positive number of seconds. More than 30 act as 30. Source: operations 3. */
function checkTimeout(timeout: string): void {
  if (!/^0*[1-9]\d*$/.test(timeout)) {
    throw invalidOption('timeout', timeout, 'InvalidQueryParameterValue');
  }
}

/** Returns the preference that an operation applies. An update never has content. Source: operations 5.4. */
function readPrefer(method: string, prefer: string): Prefer | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const wanted = lowerAscii(prefer.trim());
  if (wanted === 'return-no-content') return wanted;
  return wanted === 'return-content' && method === 'POST' ? wanted : undefined;
}

/** Returns the facts of a request for the listeners of its commit. */
export function writerOf({ authenticated: { received }, row }: Routed): Writer {
  return {
    requestId: received.id,
    clientRequestId: received.headers['x-ms-client-request-id'],
    operation: row.operation.name,
    caller: received.caller,
    userAgent: received.headers['user-agent'],
  };
}
