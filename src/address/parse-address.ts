import { SyntaxError as PathSyntaxError, parse as parsePath } from '../generated/address.js';
import { inputTexts, TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { Query } from './query.js';
import { targetOf } from './request-target.js';
import type { Resource } from './resource.js';

/** Where a request goes: whose account, by which endpoint, to which path. The path is still as it was sent. */
export interface Address {
  readonly account: string;
  /** Sent to the read-only secondary endpoint. */
  readonly secondary: boolean;
  /** Scheme, host and account prefix of the request: what every absolute URL of the answer begins with. */
  readonly base: string;
  /** The whole path as sent, which signatures are made over. */
  readonly rawPath: string;
  /** The path after the account, as sent. */
  readonly resourcePath: string;
  readonly query: Query;
}

/** What `parseAddress` reads of a request. */
export interface AddressedRequest {
  /** The request target: path and query. */
  readonly url: string;
  readonly host: string;
  readonly scheme: 'http' | 'https';
}

/** An account with one of its two endpoints. */
interface Endpoint {
  readonly account: string;
  readonly secondary: boolean;
}

const secondarySuffix = '-secondary';

/** A host in the service's own form, as `account.table.localhost`. */
const accountHost = /^[^.:]+\.table\./i;

/**
 * Finds the account and endpoint of a request: the first path segment if it is the name of an account, else the first
 * label of the host. A host in the service's own form comes first where the path is a single segment: that is a table
 * with the name of another account. `pathFirst` switches this off. IPv6, container and cluster names all work, because
 * dots mean nothing else.
 *
 * Errors: ResourceNotFound when neither names an account; RequestUrlFailedToParse for a broken query.
 * Source: operations, "Base URI"; checks-order, section 2 step 3.
 */
export function parseAddress(
  { url, host, scheme }: AddressedRequest,
  accounts: ReadonlySet<string>,
  pathFirst = false,
): Address {
  const target = targetOf(url);
  const queryAt = target.indexOf('?');
  const rawPath = (queryAt < 0 ? target : target.slice(0, queryAt)) || '/';
  const query = new Query(queryAt < 0 ? '' : target.slice(queryAt + 1));
  const root = `${scheme}://${host}`;

  const segmentEnd = rawPath.indexOf('/', 1);
  const segment = rawPath.slice(1, segmentEnd < 0 ? undefined : segmentEnd);
  const rest = segmentEnd < 0 ? '' : rawPath.slice(segmentEnd + 1);
  const byPath = endpointOf(segment, accounts);
  if (byPath && !(rest === '' && !pathFirst && isTableOf(host, accounts, query))) {
    const resourcePath = byPath.secondary ? withoutAccount(rest, byPath.account, query) : rest;
    return { ...byPath, base: `${root}/${segment}`, rawPath, resourcePath, query };
  }
  const byHost = endpointOfHost(host, accounts);
  if (byHost) return { ...byHost, base: root, rawPath, resourcePath: rawPath.slice(1), query };
  throw new TableError('ResourceNotFound', {
    clothes: 'xml',
    message: `The specified resource does not exist. No account of this server is named so; it has: ${[...accounts].join(', ')}.`,
  });
}

/** Whether a path of one segment names a table of the account in the host. Only the service itself has a `restype`. */
function isTableOf(host: string, accounts: ReadonlySet<string>, query: Query): boolean {
  return accountHost.test(host) && !query.has('restype') && endpointOfHost(host, accounts) !== undefined;
}

/**
 * A path on the secondary endpoint without the account in front. Clients that take an emulator's secondary endpoint for
 * a host put the path of the primary after it: `/account-secondary/account/Tables`. Source: clients in use.
 */
function withoutAccount(path: string, account: string, query: Query): string {
  if (!path.startsWith(`${account}/`)) return path;
  const rest = path.slice(account.length + 1);
  return rest !== '' || query.has('restype') ? rest : path;
}

function endpointOf(name: string, accounts: ReadonlySet<string>): Endpoint | undefined {
  if (accounts.has(name)) return { account: name, secondary: false };
  if (!name.endsWith(secondarySuffix)) return undefined;
  const account = name.slice(0, -secondarySuffix.length);
  return accounts.has(account) ? { account, secondary: true } : undefined;
}

/** The endpoint that the first label of a host names. Host names have no letter case. */
function endpointOfHost(host: string, accounts: ReadonlySet<string>): Endpoint | undefined {
  const label = /^[^.:]*/.exec(host)?.[0] ?? '';
  const exact = endpointOf(label, accounts);
  if (exact) return exact;
  const lower = lowerAscii(label);
  const secondary = lower.endsWith(secondarySuffix);
  const name = secondary ? lower.slice(0, -secondarySuffix.length) : lower;
  const account = [...accounts].find((one) => lowerAscii(one) === name);
  return account === undefined ? undefined : { account, secondary };
}

/** Whether a `%` that begins no encoded byte stands among the keys of an entity. */
const rawPercentInKey = /(?:\(|%28).*%(?![0-9a-f]{2})/is;

/**
 * Reads the path after the account. Some clients percent-encode even the parentheses and the equal signs, so the path
 * is decoded first, once; an encoded slash or backslash has no place in it. Slashes at the end count for nothing, as
 * the OData library of the service skips empty segments.
 *
 * `inBatch`: a `%` that begins no encoded byte stands for itself, as in the parts of a transaction.
 *
 * Errors: InvalidUri for `//`; RequestUrlFailedToParse for broken percent-encoding; InvalidInput for key syntax, a lone
 * `%` in a key included; ResourceNotFound for a path that is not a resource. Source: checks-order, section 2 step 7.
 */
export function parseResource(path: string, inBatch = false): Resource {
  if (path.startsWith('/')) throw new TableError('InvalidUri');
  const trimmed = withoutFinalSlashes(path);
  if (trimmed.includes('/')) throw new TableError('ResourceNotFound');
  if (trimmed.includes('\\') || (trimmed.includes('%') && /%2f|%5c/i.test(trimmed))) throw querySyntax();
  try {
    return parsePath(decode(trimmed, inBatch)) as Resource;
  } catch (error) {
    if (error instanceof PathSyntaxError) throw querySyntax();
    throw error;
  }
}

/** A path without the slashes at its end. */
export function withoutFinalSlashes(path: string): string {
  let end = path.length;
  while (path.charCodeAt(end - 1) === 0x2f) end--;
  return end === path.length ? path : path.slice(0, end);
}

function decode(path: string, inBatch: boolean): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(inBatch ? path.replace(/%(?![0-9a-f]{2})/gi, '%25') : path);
  } catch {
    throw rawPercentInKey.test(path) ? querySyntax() : new TableError('RequestUrlFailedToParse');
  }
}

function querySyntax(): TableError {
  return new TableError('InvalidInput', { message: inputTexts.querySyntax });
}
