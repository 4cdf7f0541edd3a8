import type { Address } from '../address/parse-address.js';

/**
 * Returns the resource as Shared Key signs it: the account, the path exactly as sent, and `comp` of the query.
 *
 * Clients sign some paths in more than one form, so the result lists all valid forms: see `signedPaths`.
 * Source: auth 1.2.
 */
export function canonicalResources(address: Address): readonly string[] {
  const { account, query } = address;
  const comp = query.get('comp');
  const suffix = comp === undefined ? '' : `?comp=${comp}`;
  const paths = signedPaths(address);
  const all = mayBeBare(address.rawPath) ? [...paths, ...paths.map(withBareText)] : paths;
  return all.map((path) => `/${account}${path}${suffix}`);
}

/** Returns whether the client may have sent the path as bare UTF-8, which the server percent-encodes before parsing. */
function mayBeBare(path: string): boolean {
  return /%[89a-f][0-9a-f]/i.test(path);
}

/** Decodes everything beyond ASCII in a path, which gives the path that a client signs if it sends bare UTF-8. */
function withBareText(path: string): string {
  return path.replace(/(?:%[89a-f][0-9a-f])+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

/**
 * Returns the forms in which clients sign a path of the secondary endpoint: the path as sent; the path with
 * `-secondary` removed from the account; and, if the path of the primary follows, only that.
 */
function signedPaths({ account, rawPath, secondary }: Address): readonly string[] {
  const prefix = `/${account}-secondary`;
  if (!secondary || !rawPath.startsWith(prefix)) return [rawPath];
  const rest = rawPath.slice(prefix.length);
  const paths = [rawPath, `/${account}${rest}`];
  return rest.startsWith(`/${account}/`) ? [...paths, rest] : paths;
}
