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
  if (!address.secondary) return [`/${account}${address.rawPath}${suffix}`];
  return signedPaths(address).map((path) => `/${account}${path}${suffix}`);
}

/**
 * The forms in which clients sign the path of the secondary endpoint: as sent, with the account for its secondary
 * name, and without the secondary name where the path of the primary follows it.
 */
function signedPaths({ account, rawPath }: Address): readonly string[] {
  const prefix = `/${account}-secondary`;
  if (!rawPath.startsWith(prefix)) return [rawPath];
  const rest = rawPath.slice(prefix.length);
  const paths = [rawPath, `/${account}${rest}`];
  return rest.startsWith(`/${account}/`) ? [...paths, rest] : paths;
}
