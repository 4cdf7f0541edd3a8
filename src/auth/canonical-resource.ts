import type { Address } from '../address/parse-address.js';

/**
 * The resource as Shared Key signs it: account, the path exactly as sent, and `comp` of the query.
 *
 * Some paths are signed in more than one form, hence more than one answer: see `signedPaths`.
 * Source: auth, "CanonicalizedResource".
 */
export function canonicalResources(address: Address): readonly string[] {
  const { account, query } = address;
  const comp = query.get('comp');
  const suffix = comp === undefined ? '' : `?comp=${comp}`;
  if (!address.secondary && !mayBeBare(address.rawPath)) return [`/${account}${address.rawPath}${suffix}`];
  const paths = signedPaths(address);
  const all = mayBeBare(address.rawPath) ? [...paths, ...paths.map(withBareText)] : paths;
  return all.map((path) => `/${account}${path}${suffix}`);
}

/** Whether a path may have been sent with bare UTF-8, which is percent-encoded before it is read. */
function mayBeBare(path: string): boolean {
  return path.includes('%') && /%[89a-f][0-9a-f]/i.test(path);
}

/** A path with all that is beyond ASCII decoded: as it was sent, and signed, with bare UTF-8. */
function withBareText(path: string): string {
  return path.replace(/(?:%[89a-f][0-9a-f])+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

/**
 * The forms in which clients sign the path of the secondary endpoint: as sent, with the account for its secondary
 * name, and without the secondary name where the path of the primary follows it.
 */
function signedPaths({ account, rawPath, secondary }: Address): readonly string[] {
  const prefix = `/${account}-secondary`;
  if (!secondary || !rawPath.startsWith(prefix)) return [rawPath];
  const rest = rawPath.slice(prefix.length);
  const paths = [rawPath, `/${account}${rest}`];
  return rest.startsWith(`/${account}/`) ? [...paths, rest] : paths;
}
