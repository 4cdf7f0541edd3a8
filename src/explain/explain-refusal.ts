import { type Address, parseAddress, parseResource, readRepeatedTable } from '../address/parse-address.js';
import type { Resource } from '../address/resource.js';
import { hasSignature } from '../auth/shared-access-signature.js';
import type { Account } from '../protocol/accounts.js';
import type { TableError, TableErrorCode } from '../protocol/errors.js';
import type { OperationName } from '../protocol/operation-names.js';
import { describeEvidence } from './describe-evidence.js';
import { explainFilter } from './explain-filter.js';
import { explainSharedKey } from './explain-shared-key.js';
import { explainSignature } from './explain-signature.js';
import type { Explanation } from './explanation.js';
import { refusalWords } from './refusal-words.js';

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
  readonly account: string | undefined;
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

/** The codes that a `$filter` may cause. */
const filterCodes: ReadonlySet<TableErrorCode> = new Set(['InvalidInput', 'OutOfRangeInput', 'NotImplemented']);

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
  return (
    (accounts && explainCredentials(request, accounts, now)) ??
    explainQuery(request) ??
    describeEvidence(error) ?? { cause: error.code, ...refusalWords[error.code] }
  );
}

function explainCredentials(
  request: RefusedRequest,
  accounts: readonly Account[],
  now: number,
): Explanation | undefined {
  const { error, header, scheme } = request;
  const address = addressOf(request);
  if (!address || !signatureCodes.has(error.code)) return undefined;
  const authorization = header('authorization');
  const queryAt = request.target.indexOf('?');
  if (authorization === undefined) {
    if (!hasSignature(address.query)) return undefined;
    const { caller, operation } = request;
    const resource = resourceOf(address);
    return explainSignature(
      { query: address.query, account: address.account, scheme, caller, resource, operation },
      accounts,
      now,
    );
  }
  if (authorization.startsWith('Bearer') && error.code === 'AuthenticationFailed') {
    const text = scheme === 'http' ? 'A bearer token came over HTTP.' : 'The bearer token is not accepted.';
    return { cause: 'bearer-token', text, advice: 'Start the server with --https and --oauth basic.' };
  }
  if (!authorization.startsWith('SharedKey') || error.code !== 'AuthenticationFailed') return undefined;
  const query = queryAt < 0 ? '' : request.target.slice(queryAt + 1);
  return explainSharedKey(authorization, { ...request, address, query }, accounts, request.realNow);
}

/** Explains a query that was refused for its `$filter`. */
function explainQuery(request: RefusedRequest): Explanation | undefined {
  const { error, operation } = request;
  if ((operation !== 'Query Entities' && operation !== 'Query Tables') || !filterCodes.has(error.code))
    return undefined;
  const filter = addressOf(request)?.query.get('$filter');
  return filter === undefined ? undefined : explainFilter(filter, error);
}

function addressOf({ target, host, scheme, account }: RefusedRequest): Address | undefined {
  if (account === undefined) return undefined;
  try {
    return parseAddress({ url: target, host, scheme }, new Set([account]), { hasDefaultAccount: true });
  } catch {
    return undefined;
  }
}

function resourceOf({ resourcePath }: Address): Resource | undefined {
  try {
    const path = parseResource(resourcePath);
    return path.kind === 'nested' ? readRepeatedTable(path) : path;
  } catch {
    return undefined;
  }
}
