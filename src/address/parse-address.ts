import { SyntaxError as PathSyntaxError, parse as parsePath } from '../generated/address.js';
import { inputTexts, TableError } from '../protocol/errors.js';
import { Query } from './query.js';
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
  /** The path behind the account, as sent. */
  readonly resourcePath: string;
  readonly query: Query;
}

/** What the address room reads of a request. */
export interface AddressedRequest {
  /** The request target: path and query. */
  readonly url: string;
  readonly host: string;
  readonly scheme: 'http' | 'https';
}

const secondarySuffix = '-secondary';

/**
 * Finds the account and endpoint of a request: the first path segment if an account is called so, else the first label
 * of the host. No guessing from dots, so that IPv6, container and cluster names all work.
 *
 * Errors: ResourceNotFound when neither names an account; RequestUrlFailedToParse for a broken query.
 * Source: operations, "Base URI"; checks-order, section 2 step 3.
 */
export function parseAddress({ url, host, scheme }: AddressedRequest, accounts: ReadonlySet<string>): Address {
  // A proxy sends the whole address; everyone else only the path.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const queryAt = target.indexOf('?');
  const rawPath = (queryAt < 0 ? target : target.slice(0, queryAt)) || '/';
  const query = new Query(queryAt < 0 ? '' : target.slice(queryAt + 1));
  const root = `${scheme}://${host}`;

  const segmentEnd = rawPath.indexOf('/', 1);
  const segment = rawPath.slice(1, segmentEnd < 0 ? undefined : segmentEnd);
  const byPath = endpointOf(segment, accounts);
  if (byPath) {
    const resourcePath = segmentEnd < 0 ? '' : rawPath.slice(segmentEnd + 1);
    return { ...byPath, base: `${root}/${segment}`, rawPath, resourcePath, query };
  }
  const byHost = endpointOf(/^[^.:]*/.exec(host)?.[0] ?? '', accounts);
  if (byHost) return { ...byHost, base: root, rawPath, resourcePath: rawPath.slice(1), query };
  throw new TableError('ResourceNotFound', {
    clothes: 'xml',
    message: `The specified resource does not exist. No account of this server is named so; it has: ${[...accounts].join(', ')}.`,
  });
}

function endpointOf(name: string, accounts: ReadonlySet<string>): { account: string; secondary: boolean } | undefined {
  if (accounts.has(name)) return { account: name, secondary: false };
  if (!name.endsWith(secondarySuffix)) return undefined;
  const account = name.slice(0, -secondarySuffix.length);
  return accounts.has(account) ? { account, secondary: true } : undefined;
}

/**
 * Reads the path behind the account. Some clients percent-encode even the parentheses and the equal signs, so the path
 * is decoded first, once; an encoded slash or backslash has no place in it.
 *
 * Errors: InvalidUri for `//`; RequestUrlFailedToParse for broken percent-encoding; InvalidInput for key syntax;
 * ResourceNotFound for a path that is no resource. Source: checks-order, section 2 step 7.
 */
export function parseResource(path: string): Resource {
  if (path.startsWith('/')) throw new TableError('InvalidUri');
  if (path.includes('/')) throw new TableError('ResourceNotFound');
  if (path.includes('\\') || (path.includes('%') && /%2f|%5c/i.test(path))) throw querySyntax();
  try {
    return parsePath(decode(path)) as Resource;
  } catch (error) {
    if (error instanceof PathSyntaxError) throw querySyntax();
    throw error;
  }
}

function decode(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw new TableError('RequestUrlFailedToParse');
  }
}

function querySyntax(): TableError {
  return new TableError('InvalidInput', { message: inputTexts.querySyntax });
}
