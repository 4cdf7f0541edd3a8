import { type Address, parseResource, readRepeatedTable } from '../../address/parse-address.js';
import { targetOf } from '../../address/request-target.js';
import type { Resource } from '../../address/resource.js';
import type { Account } from '../../protocol/access/accounts.js';
import { permitsNeed } from '../../protocol/access/permitted-actions.js';
import { builtInRoles, type HeldRole, type RoleNeed, tableServiceActions } from '../../protocol/access/roles.js';
import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { TableError } from '../../protocol/errors.js';
import type { Explanation } from '../../protocol/explanation.js';
import { lowerAscii } from '../../protocol/names.js';
import type { RejectionEvidence } from '../../protocol/rejection-evidence.js';
import { explainError, keyAdvice } from './describe-evidence.js';
import { explainSharedKey, type SharedKeyRequest } from './signature/explain-shared-key.js';
import { explainSignature, type SignatureRequest } from './signature/explain-signature.js';

/** The facts of a rejected request that an explanation needs. */
export interface RejectedRequest
  extends Omit<SharedKeyRequest, 'address' | 'query'>,
    Pick<SignatureRequest, 'scheme' | 'caller' | 'operation'> {
  readonly error: TableError;
  /** The target as sent. */
  readonly target: string;
  /** The clock for checking Shared Key requests. Unit: milliseconds since 1970. */
  readonly realNow: number;
  /** The parsed address; undefined if it could not be read. */
  readonly address: Address | undefined;
}

/** The codes that a signature may cause. */
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
 * Explains a rejection by its cause if that can be found, otherwise by the meaning of the code. `accounts` have the keys for
 * examining signatures; without them, a signature is not examined. `now` is in milliseconds since 1970.
 */
export function explainRejection(
  request: RejectedRequest,
  accounts: readonly Account[] | undefined,
  now: number,
): Explanation {
  const { error } = request;
  const evidence = error.evidence();
  if (evidence?.check === 'role') return explainRole(evidence);
  if (evidence?.check === 'token') return explainToken(evidence);
  if (error.variant?.name === 'bearer-challenged' || error.variant?.name === 'bearer-rejected') {
    return explainBearer(request.scheme);
  }
  return (accounts && explainCredentials(request, accounts, now)) ?? explainPath(request) ?? explainError(error);
}

function explainCredentials(
  request: RejectedRequest,
  accounts: readonly Account[],
  now: number,
): Explanation | undefined {
  const { error, address, target } = request;
  if (!address || !signatureCodes.has(error.code)) return undefined;
  const authorization = request.header('authorization');
  if (authorization === undefined) {
    const { query, account } = address;
    return explainSignature({ ...request, query, account, resource: resourceOf(address) }, accounts, now);
  }
  if (!authorization.startsWith('SharedKey') || error.code !== 'AuthenticationFailed') return undefined;
  const queryAt = target.indexOf('?');
  const query = queryAt < 0 ? '' : target.slice(queryAt + 1);
  return explainSharedKey(authorization, { ...request, address, query }, accounts, request.realNow);
}

/** Explains a token that was sent over HTTP, or rejected without evidence. */
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

/** The codes of malformed paths, and of paths that lead to nothing. */
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

/** Explains a path with a segment below a table, an empty segment, or a slash or a backslash in a key. */
function explainPath(request: RejectedRequest): Explanation | undefined {
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

/** Returns keys up to their last parenthesis. Another segment of the path follows it. */
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

type Evidence<Check extends RejectionEvidence['check']> = Extract<RejectionEvidence, { readonly check: Check }>;

/** Explains that an identity lacks a role: its roles, the missing permission, and a role that has it. */
function explainRole({ identity, isListed, held, elsewhere, need, account, table }: Evidence<'role'>): Explanation {
  const cause = 'role';
  const place = table === undefined ? `the account ${account}` : `the table ${table} of ${account}`;
  if (!isListed) {
    return {
      cause,
      text: `The identity file does not list the identity ${identity}, so it has no role.`,
      advice: `Add it with "objectId": "${identity}" and its roles.`,
    };
  }
  const has = held.length === 0 ? 'no role' : held.map(written).join(', ');
  const needs = need === undefined ? 'more than any role has' : need.anyOf.map(writtenActions).join(', or ');
  const text = `The identity ${identity} has ${has}. The operation needs ${needs} on ${place}.`;
  if (elsewhere.length > 0) {
    const [limited] = elsewhere;
    return { cause: 'role-scope', text, advice: `${limited?.role} permits it, but not there. Assign it on ${place}.` };
  }
  const [permitting] = need ? builtInRoles.filter((role) => permitsNeed(role, need)) : [];
  const advice = permitting && `${permitting.name} permits it.`;
  if (need?.plane === 'dataActions' && held.some(({ role }) => managers.has(role))) {
    const words = 'Its roles manage accounts and tables; entities need a data role.';
    return { cause: 'role-plane', text, advice: [words, advice].filter(Boolean).join(' ') };
  }
  return { cause, text, ...(advice !== undefined && { advice }) };
}

/** The built-in roles without permissions for entities. */
const managers: ReadonlySet<string> = new Set(
  builtInRoles.filter(({ dataActions }) => dataActions.length === 0).map(({ name }) => name),
);

function written({ role, account, table }: HeldRole): string {
  if (account === undefined) return role;
  return `${role} on ${table === undefined ? account : `the table ${table} of ${account}`}`;
}

function writtenActions(actions: RoleNeed['anyOf'][number]): string {
  return actions.map((action) => action.slice(tableServiceActions.length + 1)).join(' and ');
}

/** Explains a rejected bearer token by the compared values. Never shows the token. */
function explainToken({ fault, expected, found }: Evidence<'token'>): Explanation {
  const compared = [expected && `expected ${expected}`, found && `found ${found}`].filter(Boolean).join('; ');
  return {
    cause: 'bearer-token',
    text: `The token was rejected. ${fault}${compared === '' ? '' : ` (${compared})`}`,
    advice: adviceFor(fault, found),
  };
}

function adviceFor(fault: string, found: string | undefined): string {
  if (found?.includes('cosmos.azure.com')) {
    return 'Clients request a Cosmos DB token if the host is localhost. Use 127.0.0.1 in the endpoint.';
  }
  if (fault.startsWith('Audience')) return 'Request the scope https://storage.azure.com/.default.';
  if (fault.includes('key of the token is not known')) {
    return 'The token is from another server or an earlier start; a server in memory has a new key each time. Restart the program.';
  }
  if (fault.startsWith('Lifetime')) return 'Get a new token, and compare the clocks.';
  if (fault.startsWith('Issuer')) return 'Get the token from this server, or list its issuer under "trusted".';
  return 'Get the token from this server, with DefaultAzureCredential or with the command identity token.';
}
