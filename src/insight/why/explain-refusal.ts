import { type Address, parseResource, readRepeatedTable } from '../../address/parse-address.js';
import { targetOf } from '../../address/request-target.js';
import type { Resource } from '../../address/resource.js';
import { hasSignature } from '../../auth/shared-access-signature.js';
import type { Account } from '../../protocol/access/accounts.js';
import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { TableError } from '../../protocol/errors.js';
import type { Explanation } from '../../protocol/explanation.js';
import { lowerAscii } from '../../protocol/names.js';
import type { OperationName } from '../../protocol/operation-names.js';
import { explainError, keyAdvice } from './describe-evidence.js';
import { explainRole, explainToken } from './explain-identity.js';
import { explainSharedKey } from './signature/explain-shared-key.js';
import { explainSignature } from './signature/explain-signature.js';
import { findQueryMistake } from './signature/find-query-mistake.js';

/** A request that was refused, as far as an explanation needs it. */
export interface RefusedRequest {
  readonly error: TableError;
  readonly method: string;
  /** The target as sent. */
  readonly target: string;
  readonly host: string;
  readonly scheme: 'http' | 'https';
  /** IP address of the caller. */
  readonly caller: string;
  /** The clock by which Shared Key requests are checked. Unit: milliseconds since 1970. */
  readonly realNow: number;
  /** How far the database's clock is ahead of that one. Unit: milliseconds. Absent: there is no other clock. */
  readonly clockAheadMs?: number | undefined;
  /** The address as it was parsed; undefined if it could not be read. */
  readonly address: Address | undefined;
  readonly operation: OperationName | undefined;
  /** The names of all headers, in lower case. */
  readonly headerNames: readonly string[];
  /** Returns a header of the request. */
  readonly header: (name: string) => string | undefined;
}

/** The codes that a signature may cause, so that it is examined. */
export const signatureCodes: ReadonlySet<TableErrorCode> = new Set([
  'AuthenticationFailed',
  'AuthorizationFailure',
  'AuthorizationPermissionMismatch',
  'AuthorizationResourceTypeMismatch',
  'AuthorizationProtocolMismatch',
  'AuthorizationSourceIPMismatch',
  'AuthorizationServiceMismatch',
]);

/**
 * Explains a refusal: the cause if it can be found, otherwise what the code means. `accounts` have the keys that
 * signatures are compared with; without them, a signature is not examined. `now` is in milliseconds since 1970.
 */
export function explainRefusal(
  request: RefusedRequest,
  accounts: readonly Account[] | undefined,
  now: number,
): Explanation {
  const { error } = request;
  const evidence = error.evidence();
  if (evidence?.check === 'role') return explainRole(evidence);
  if (evidence?.check === 'token') return explainToken(evidence);
  if (error.variant?.name === 'bearer-challenged' || error.variant?.name === 'bearer-refused') {
    return explainBearer(request.scheme);
  }
  return (accounts && explainCredentials(request, accounts, now)) ?? explainPath(request) ?? explainError(error);
}

function explainCredentials(
  request: RefusedRequest,
  accounts: readonly Account[],
  now: number,
): Explanation | undefined {
  const { error, header, scheme, address } = request;
  if (!address || !signatureCodes.has(error.code)) return undefined;
  const authorization = header('authorization');
  const queryAt = request.target.indexOf('?');
  if (authorization === undefined) {
    const mistake = findQueryMistake(address.query);
    if (mistake || !hasSignature(address.query)) return mistake;
    const { caller, operation } = request;
    const resource = resourceOf(address);
    return explainSignature(
      { query: address.query, account: address.account, scheme, caller, resource, operation },
      accounts,
      now,
    );
  }
  if (!authorization.startsWith('SharedKey') || error.code !== 'AuthenticationFailed') return undefined;
  const query = queryAt < 0 ? '' : request.target.slice(queryAt + 1);
  return explainSharedKey(authorization, { ...request, address, query }, accounts, request.realNow);
}

/** Explains that a server accepts no tokens, or none over HTTP, or one whose claims are wrong without verifying it. */
function explainBearer(scheme: 'http' | 'https'): Explanation {
  const text = scheme === 'http' ? 'The token was sent over HTTP.' : 'The token was rejected.';
  return {
    cause: 'bearer-token',
    text,
    advice: 'Start the server with --https and --identity FILE; --oauth basic accepts tokens without verifying them.',
  };
}

/** A slash or a backslash in the keys of a path, plain or encoded. */
const separator = /[/\\]|%2f|%5c/i;

/** The codes of paths that cannot be read, or that lead to nothing. */
const pathCodes: ReadonlySet<TableErrorCode> = new Set([
  'InvalidInput',
  'ResourceNotFound',
  'TableNotFound',
  'NotImplemented',
  'MethodNotAllowed',
  'NotImplemented',
  'InvalidUri',
  'RequestUrlFailedToParse',
]);

/** Explains a path that is too long, has an empty segment, or has a slash or a backslash in a key. */
function explainPath(request: RefusedRequest): Explanation | undefined {
  const { error, operation } = request;
  const path = request.address?.resourcePath ?? '';
  const [, table, below] = /^([^/(]+)(?:\(\))?\/([^/].*)$/.exec(path) ?? [];
  if (table !== undefined && below === '$batch') return explainBelow(table, below);
  if (operation !== undefined || error.evidence() || !pathCodes.has(error.code)) return undefined;
  if (error.code === 'InvalidUri' && /^[^?(]*\/\//.test(targetOf(request.target))) {
    return {
      cause: 'path-double-slash',
      text: 'The path has two slashes in a row.',
      advice: 'If the endpoint ends with a slash, leave it out: clients add one.',
    };
  }
  if (table !== undefined && below !== undefined) return explainBelow(table, below);
  const keysAt = path.search(/\(|%28/i);
  const keys = keysAt < 0 ? '' : path.slice(keysAt);
  const [found] = separator.exec(withoutEnd(keys)) ?? [];
  if (found === undefined) return undefined;
  return {
    cause: 'key-slash',
    text: `The keys in the path have ${found}, which keys cannot contain.`,
    advice: keyAdvice,
  };
}

function explainBelow(table: string, below: string): Explanation {
  const explanation = { cause: 'path-below-table', text: `The path has ${below} below the table ${table}.` };
  if (below === '$count')
    return { ...explanation, advice: 'The service does not count. Count the entities in the client.' };
  return { ...explanation, advice: `If the endpoint ends in /${table}, leave the name out: clients add it.` };
}

/** Returns keys up to their last parenthesis. What follows is another segment of the path. */
function withoutEnd(keys: string): string {
  const end = Math.max(keys.lastIndexOf(')'), lowerAscii(keys).lastIndexOf('%29'));
  return end < 0 ? keys : keys.slice(0, end);
}

function resourceOf({ resourcePath }: Address): Resource | undefined {
  try {
    const path = parseResource(resourcePath);
    return path.kind === 'nested' ? readRepeatedTable(path) : path;
  } catch {
    return undefined;
  }
}
