import type { Query } from '../address/query.js';
import type { Resource } from '../address/resource.js';
import type { Identity } from '../auth/identity.js';
import type { OperationRequest, Prefer } from '../operations/operation.js';
import { findOperation, type OperationRow, rightOf } from '../operations/operation-table.js';
import { RequiredRight } from '../operations/required-right.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { checkXmlAccept, negotiateLevel } from './negotiate.js';

/** What is read of a request's line and headers, be it a request of its own or a part of a transaction. */
export interface RequestHead {
  readonly method: string;
  /** A header by its lower-cased name; undefined where it is missing. */
  header(name: string): string | undefined;
}

/** Where a request goes, as far as an operation needs to know. */
export interface OperationAddress {
  readonly account: string;
  readonly base: string;
  readonly query: Query;
  readonly secondary: boolean;
  readonly identity: Identity;
  isGone(): boolean;
}

/** An operation found for a request, with all of the request but its body. */
export interface RequestedOperation {
  readonly row: OperationRow;
  readonly request: Omit<OperationRequest, 'body'>;
}

/**
 * Finds what a request asks for and in which form it wants the answer.
 *
 * Errors: those of steps 8 to 11. Source: checks-order 2.
 */
export function readOperation(
  head: RequestHead,
  resource: Resource,
  { account, base, query, secondary, identity, isGone }: OperationAddress,
  version: string,
): RequestedOperation {
  const row = findOperation(resource, effectiveMethod(head), query);
  const ifMatch = head.header('if-match');
  const right = new RequiredRight(rightOf(row, ifMatch), identity, resource);
  right.askAt('before-headers');
  if (row.secondaryOnly && !secondary) throw new TableError('InvalidQueryParameterValue');
  checkTimeout(query);
  const accept = head.header('accept');
  if (row.answers === 'xml') checkXmlAccept(accept, !row.refusesAnyType);
  const level = negotiateLevel(query.get('$format'), accept, version, row.answers === 'json');
  const request = {
    account,
    secondary,
    identity,
    right,
    resource,
    query,
    base,
    version,
    level,
    prefer: head.method === 'POST' ? readPrefer(head.header('prefer')) : undefined,
    ifMatch,
    ifNoneMatch: head.header('if-none-match'),
    isGone,
  };
  return { row, request };
}

/**
 * The verb that counts: a POST may carry another one.
 * Errors: XMethodNotUsingPost, XMethodIncorrectCount, XMethodIncorrectValue. Source: operations 8.11.
 */
function effectiveMethod({ method, header }: RequestHead): string {
  const tunnelled = header('x-http-method');
  if (tunnelled === undefined) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  // A repeated header arrives joined with commas.
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!['MERGE', 'PATCH', 'PUT', 'DELETE'].includes(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

/** Any positive number of seconds will do; more than 30 act as 30. Source: operations 3. */
function checkTimeout(query: Query): void {
  const timeout = query.get('timeout');
  if (timeout !== undefined && !/^0*[1-9]\d*$/.test(timeout)) throw new TableError('InvalidQueryParameterValue');
}

function readPrefer(prefer: string | undefined): Prefer | undefined {
  const wanted = prefer === undefined ? undefined : lowerAscii(prefer.trim());
  return wanted === 'return-content' || wanted === 'return-no-content' ? wanted : undefined;
}
