import type { Address } from '../address/parse-address.js';

/**
 * The resource as Shared Key signs it: account, the path exactly as sent, and `comp` of the query.
 *
 * Over the secondary in path style clients sign the path with and without the suffix, hence more than one answer.
 * Source: auth, "CanonicalizedResource".
 */
export function canonicalResources({ account, secondary, rawPath, query }: Address): readonly string[] {
  const comp = query.get('comp');
  const suffix = comp === undefined ? '' : `?comp=${comp}`;
  const asSent = `/${account}${rawPath}${suffix}`;
  if (!secondary) return [asSent];
  return [asSent, `/${account}${rawPath.replace(`/${account}-secondary`, `/${account}`)}${suffix}`];
}
