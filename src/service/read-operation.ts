import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import type { Identity } from '../auth/identity.js';
import type { Dialect } from '../dialects/dialect.js';
import type { EntityLinks } from '../entity/stored/write-row.js';
import type { AtomRepresentation, JsonRepresentation, Prefer, Representation } from '../formats/representation.js';
import { isUnconditional } from '../operations/entities/if-match.js';
import { type OperationRequest, tableOf } from '../operations/operation.js';
import { findOperation, type OperationRow, rightOf } from '../operations/operation-table.js';
import type { RequestTables } from '../operations/request-tables.js';
import { RequiredRight } from '../operations/required-right.js';
import type { MetadataLevel } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';
import { protocolVersions } from '../protocol/versions.js';
import { invalidOption } from '../query/query-options.js';
import { checkJsonAccept, checkXmlAccept, negotiateFormat } from './negotiate.js';
import { notInService } from './not-in-service.js';

/** The verb and the headers of a request, or of a part of a batch. */
export interface RequestHead {
  readonly method: string;
  readonly headers: HeaderFields;
  /** Whether it is a part of a batch. */
  readonly isPart?: true;
}

/** What a request and all parts of its batch have in common. */
export interface RequestContext {
  readonly account: string;
  /** Scheme, host and account prefix, without a final slash. */
  readonly base: string;
  /** Whether the request was sent to the secondary endpoint. */
  readonly secondary: boolean;
  /** The headers of the request. A part of a batch has its own. */
  readonly headers: HeaderFields;
  readonly identity: Identity;
  /** The version by which the request is served. */
  readonly version: string;
  readonly tables: RequestTables;
  /** Decides how the request is read. */
  readonly dialect: Dialect;
  /** Returns milliseconds since 1970, by the clock that dates answers. */
  now(): number;
  /** Returns whether the client has left. */
  isGone(): boolean;
}

/** The operation of a request, the request without its body, and the form of the answer. */
export interface RequestedOperation {
  readonly row: OperationRow;
  readonly request: OperationRequest;
  readonly representation: Representation;
}

/**
 * Finds the operation of a request and negotiates the form of the answer.
 *
 * Errors: those of steps 8 to 11. Source: checks-order 2.
 */
export function readOperation(
  head: RequestHead,
  resource: Resource,
  query: Query,
  context: RequestContext,
): RequestedOperation {
  const { account, base, secondary, identity, version, tables, dialect, now, isGone } = context;
  const { requests, operations: rules } = dialect;
  if (!requests.takesPatch && head.method === 'PATCH') throw notInService('InvalidInput', 'patch');
  const method = effectiveMethod(head);
  const row = findOperation(resource, method, query);
  const ifMatch = head.headers['if-match'];
  const right = new RequiredRight(rightOf(row, ifMatch), identity, resource, context);
  right.askAt('before-headers');
  if (row.secondaryOnly && !secondary) throw new TableError('InvalidQueryParameterValue');
  checkTimeout(query);
  const accept = head.headers['accept'];
  if (row.answers === 'xml') checkXmlAccept(accept, !row.refusesAnyType);
  const isUpsert = row.upsert !== undefined && isUnconditional(ifMatch);
  if (requests.upsertsNegotiate && isUpsert && !head.isPart) checkJsonAccept(accept);
  const option = query.get('$format');
  const first = requests.acceptFirst ? accept : option;
  const second = requests.acceptFirst ? option : accept;
  const format = negotiateFormat(first, second, version, row.answers === 'odata', requests.speaksAtom);
  const links = { base, account, table: tableOf(resource) };
  const prefer = readPrefer(method, head.headers['prefer']);
  const representation =
    format === 'atom' ? atomFor(head, prefer, links, context) : jsonAt(format, prefer, links, version);
  const ifNoneMatch = head.headers['if-none-match'];
  // Without a spread: members after it would be defined one by one.
  const request = {
    account,
    identity,
    right,
    resource,
    query,
    version,
    rules,
    tables,
    now,
    isGone,
    ifMatch,
    ifNoneMatch,
  };
  return { row, request, representation };
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
  prefer: Prefer | undefined,
  links: EntityLinks,
  { headers: outer, now }: RequestContext,
): AtomRepresentation {
  const newest = headers['maxdataserviceversion'] ?? outer['maxdataserviceversion'];
  const updated = `${new Date(now()).toISOString().slice(0, 19)}Z`;
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
function effectiveMethod({ method, headers, isPart }: RequestHead): string {
  const tunnelled = headers['x-http-method'];
  if (tunnelled === undefined || (isPart && tunnelled === method)) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  // A repeated header arrives joined with commas.
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!['MERGE', 'PATCH', 'PUT', 'DELETE'].includes(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

/** Checks that the timeout is a positive number of seconds. More than 30 act as 30. Source: operations 3. */
function checkTimeout(query: Query): void {
  const timeout = query.get('timeout');
  if (timeout !== undefined && !/^0*[1-9]\d*$/.test(timeout)) {
    throw invalidOption('timeout', timeout, 'InvalidQueryParameterValue');
  }
}

/** Returns the preference that an operation applies. An update never has content. Source: operations 5.4. */
function readPrefer(method: string, prefer: string | undefined): Prefer | undefined {
  if (prefer === undefined || method === 'GET' || method === 'DELETE') return undefined;
  const wanted = lowerAscii(prefer.trim());
  if (wanted === 'return-no-content') return wanted;
  return wanted === 'return-content' && method === 'POST' ? wanted : undefined;
}
