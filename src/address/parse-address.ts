import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { ownText } from '../remembered.js';
import { Query } from './query.js';
import { type AddressedKey, keySyntax, splitSegment } from './read-keys.js';
import { targetOf } from './request-target.js';
import type { NestedPath, Resource } from './resource.js';

/** The account, endpoint and path of a request. The path is not decoded. */
export interface Address {
  readonly account: string;
  /** Whether the request was sent to the secondary endpoint. */
  readonly secondary: boolean;
  /** Scheme, host and account prefix of the request. Every absolute URL in the answer begins with it. */
  readonly base: string;
  /** The whole path as sent. Signatures cover it. */
  readonly rawPath: string;
  /** The path after the account, as sent. */
  readonly resourcePath: string;
  readonly query: Query;
}

/** The parts of a request that `parseAddress` reads. */
export interface AddressedRequest {
  /** The request target: path and query. */
  readonly url: string;
  readonly host: string;
  readonly scheme: 'http' | 'https';
}

/** The rules for reading addresses. */
export interface AddressRules {
  /** Whether an account in the path always takes precedence over one in the host. Absent: false. */
  readonly pathFirst?: boolean;
  /** Whether a path of one segment belongs to the first account if the host names none. Absent: false. */
  readonly hasDefaultAccount?: boolean;
}

/** One of the two endpoints of an account. */
interface Endpoint {
  /** Shares no memory with the target, because records of requests keep it. */
  readonly account: string;
  readonly secondary: boolean;
}

const secondarySuffix = '-secondary';

/** A host in the form that the service uses: `account.table.` and a domain. */
const accountHost = /^[^.:]+\.table\./i;

/**
 * Finds the account and endpoint of a request. The account is the first path segment if that names an account,
 * otherwise the first label of the host.
 *
 * There is one exception. If the host is `account.table.…` and the path is a single segment, the host decides: the path
 * may be a table with the same name as another account. `pathFirst` disables the exception. Any other dots in a host
 * are ignored, so IPv6 addresses and the names of containers and clusters work.
 *
 * Errors: ResourceNotFound if neither names an account; RequestUrlFailedToParse for a malformed query.
 * Source: operations 1.1; checks-order 2 step 3.
 */
export function parseAddress(
  { url, host, scheme }: AddressedRequest,
  accounts: ReadonlySet<string>,
  { pathFirst = false, hasDefaultAccount = false }: AddressRules = {},
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
    const { account, secondary } = byPath;
    return { account, secondary, base: `${root}/${segment}`, rawPath, resourcePath, query };
  }
  const byHost = endpointOfHost(host, accounts);
  if (byHost) return { ...byHost, base: root, rawPath, resourcePath: rawPath.slice(1), query };
  const [first] = accounts;
  // A path of two segments names an account, and not this one.
  if (hasDefaultAccount && first !== undefined && rest === '') {
    return { account: first, secondary: false, base: root, rawPath, resourcePath: rawPath.slice(1), query };
  }
  throw unknownAccount(accounts);
}

/** Returns the error of a request to none of these accounts. `ending` is a sentence about the end of the one that it names. */
export function unknownAccount(accounts: Iterable<string>, ending?: string): TableError {
  const variant = {
    name: 'account-unknown',
    accounts: [...accounts],
    ...(ending !== undefined && { ending }),
  } as const;
  return new TableError('ResourceNotFound', { variant });
}

/** Returns the names of accounts that a request may mean: the first segment of its path, and the first label of its host. */
export function accountNamesIn({ url, host }: Pick<AddressedRequest, 'url' | 'host'>): readonly string[] {
  return [/^\/([^/?]*)/.exec(targetOf(url))?.[1] ?? '', /^[^.:]*/.exec(host)?.[0] ?? ''];
}

/** Whether a request was rejected because it names an account that this server does not have. */
export function isUnknownAccount(error: unknown): boolean {
  return error instanceof TableError && error.variant?.name === 'account-unknown';
}

/** Returns whether a path of one segment is a table of the account in the host. A `restype` excludes tables. */
function isTableOf(host: string, accounts: ReadonlySet<string>, query: Query): boolean {
  return accountHost.test(host) && !query.has('restype') && endpointOfHost(host, accounts) !== undefined;
}

/**
 * Removes the account from the start of a path on the secondary endpoint. Some clients treat the secondary endpoint of
 * an emulator as a host and append the path of the primary: `/account-secondary/account/Tables`. Source: auth 1.2.
 */
function withoutAccount(path: string, account: string, query: Query): string {
  if (!path.startsWith(`${account}/`)) return path;
  const rest = path.slice(account.length + 1);
  return rest !== '' || query.has('restype') ? rest : path;
}

function endpointOf(name: string, accounts: ReadonlySet<string>): Endpoint | undefined {
  if (accounts.has(name)) return { account: ownText(name), secondary: false };
  if (!name.endsWith(secondarySuffix)) return undefined;
  const account = name.slice(0, -secondarySuffix.length);
  return accounts.has(account) ? { account: ownText(account), secondary: true } : undefined;
}

/** Returns the endpoint that the first label of a host names, in any letter case. */
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

/** Returns whether a path has a `%` without two hex digits in the keys of an entity. Takes time in proportion to its length. */
function hasRawPercentInKey(path: string): boolean {
  const keysAt = path.search(/\(|%28/);
  return keysAt >= 0 && /%(?![0-9a-f]{2})/i.test(path.slice(keysAt));
}

/** Fast path: the usual address of an entity. `splitSegment` reads it in the same way, but takes longer. */
const plainEntity = /^([^()/]+)\(PartitionKey='([^']*)',RowKey='([^']*)'\)$/;

/** The same without characters that a path encodes or rejects. It needs no decoding. */
const bareEntity = /^([^%\\()/]+)\(PartitionKey='([^'%\\/]*)',RowKey='([^'%\\/]*)'\)$/;

/** The two forms in which clients address a table with its entities. */
const plainTable = /^(?!tables(?:\(|$))([a-z]\w*)(?:\(\))?$/i;

/**
 * Parses the path after the account. The path is decoded once, before parsing, because some clients percent-encode even
 * parentheses and equal signs. An encoded slash separates segments like a bare one. In the keys of an entity it is an error,
 * as an encoded backslash is everywhere. Empty segments after the first one are skipped.
 *
 * If `inBatch` is true, a `%` without two hex digits is read as a percent sign. The service does so in the parts of a
 * transaction.
 *
 * Errors: InvalidUri for `//`; RequestUrlFailedToParse for malformed percent-encoding; InvalidInput for malformed keys,
 * including a lone `%` in a key; ResourceNotFound for a path that is not a resource.
 * Source: checks-order 2 step 7; operations 1.2.
 */
export function parseResource(path: string, inBatch = false): Resource | NestedPath {
  const bare = readEntityPath(bareEntity, path);
  if (bare) return bare;
  const plain = path.includes('%') ? withBareSlashes(path) : path;
  if (plain.startsWith('/')) throw new TableError('InvalidUri');
  const trimmed = withoutFinalSlashes(plain);
  if (trimmed.includes('\\') || (trimmed.includes('%') && /%2f|%5c/i.test(trimmed))) throw keySyntax();
  const decoded = decode(trimmed, inBatch);
  if (!trimmed.includes('/')) return parseSegment(decoded);
  return { kind: 'nested', segments: decoded.split('/').filter((segment) => segment !== '') };
}

/** Parses a path of one segment, decoded. Errors: those of `parseResource`. */
function parseSegment(decoded: string): Resource {
  if (decoded.startsWith('(')) throw new TableError('ResourceNotFound', { variant: { name: 'path-without-table' } });
  const entity = readEntityPath(plainEntity, decoded);
  if (entity) return entity;
  const [, plain] = plainTable.exec(decoded) ?? [];
  if (plain !== undefined) return { kind: 'entities', table: plain };
  const { name, keys } = splitSegment(decoded);
  return keys ? withKeys(name, keys) : resourceOf(name);
}

/** Returns the resource of a name without parentheses. The store decides later whether a table with this name exists. */
function resourceOf(name: string): Resource {
  switch (lowerAscii(name)) {
    case '':
      return { kind: 'service' };
    case '$batch':
      return { kind: 'batch' };
    case '$metadata':
      return { kind: 'metadata' };
    case 'tables':
      return { kind: 'tables' };
    default:
      return { kind: 'entities', table: name };
  }
}

/** Returns the resource of a name with parentheses. The keys of an entity may be in either order, as in OData. */
function withKeys(name: string, keys: readonly AddressedKey[]): Resource {
  const [first, second, ...more] = keys;
  const isTables = lowerAscii(name) === 'tables';
  if (!first) return isTables ? { kind: 'tables' } : { kind: 'entities', table: name };
  if (isTables && !second && (first.name ?? 'TableName') === 'TableName') return { kind: 'table', table: first.value };
  const partition = keys.find((key) => key.name === 'PartitionKey');
  const row = keys.find((key) => key.name === 'RowKey');
  if (!partition || !row || more.length > 0) throw keySyntax();
  return { kind: 'entity', table: name, key: { partitionKey: partition.value, rowKey: row.value } };
}

/** Returns the entity that a path of this form addresses. */
function readEntityPath(form: RegExp, path: string): Resource | undefined {
  const found = form.exec(path);
  if (!found) return undefined;
  const [, table = '', partitionKey = '', rowKey = ''] = found;
  return { kind: 'entity', table, key: { partitionKey, rowKey } };
}

/** Returns a path without the slashes at its end. */
export function withoutFinalSlashes(path: string): string {
  let end = path.length;
  while (path.charCodeAt(end - 1) === 0x2f) end--;
  return end === path.length ? path : path.slice(0, end);
}

/** Returns a path with the encoded slashes before its keys as bare ones. */
function withBareSlashes(path: string): string {
  const keysAt = path.search(/\(|%28/i);
  if (keysAt < 0) return path.replace(/%2f/gi, '/');
  return path.slice(0, keysAt).replace(/%2f/gi, '/') + path.slice(keysAt);
}

/**
 * Returns the resource of a path that names its table twice, or only keys after its table; undefined for any other path. A
 * client whose endpoint ends in the table sends the former. Errors: InvalidInput for malformed keys.
 * Source: operations 1.2.
 */
export function readRepeatedTable({ segments: [first = '', second = '', ...more] }: NestedPath): Resource | undefined {
  const keysAt = second.indexOf('(');
  const name = keysAt < 0 ? second : second.slice(0, keysAt);
  if (more.length > 0 || !namesTable(first)) return undefined;
  if (name === '') return parseSegment(first + second);
  return lowerAscii(name) === lowerAscii(first) ? parseSegment(second) : undefined;
}

/** Returns whether a segment can only be the name of a table. */
export function namesTable(segment: string): boolean {
  return /^[^()$][^()]*$/.test(segment) && lowerAscii(segment) !== 'tables';
}

function decode(path: string, inBatch: boolean): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(inBatch ? path.replace(/%(?![0-9a-f]{2})/gi, '%25') : path);
  } catch {
    throw hasRawPercentInKey(path) ? keySyntax() : new TableError('RequestUrlFailedToParse');
  }
}
