import type { Address } from '../address/parse-address.js';
import { TableError } from '../protocol/errors.js';
import { signatureAgeMsMax } from '../protocol/limits.js';
import { readHttpDate } from '../protocol/values/date-time.js';
import { canonicalResources } from './canonical-resource.js';
import { type AccountKeys, isSignedBy } from './signing-key.js';

/** The parts of a request that Shared Key and Shared Key Lite sign. */
export interface SignedRequest {
  readonly method: string;
  readonly address: Address;
  readonly contentMd5: string;
  readonly contentType: string;
  readonly date: string | undefined;
  readonly msDate: string | undefined;
}

/**
 * Checks a Shared Key or Shared Key Lite signature and the age of the request. `now` is in milliseconds since 1970.
 *
 * Errors: AuthenticationFailed. Storage accounts do not reveal what was wrong; Cosmos DB shows the text to sign.
 * Source: auth 1; checks-order 2 step 5.3.
 */
export function checkSharedKey(
  scheme: 'SharedKey' | 'SharedKeyLite',
  signature: string,
  request: SignedRequest,
  keys: AccountKeys,
  now: number,
): void {
  const date = request.msDate ?? request.date;
  const instant = date === undefined ? Number.NaN : readHttpDate(date);
  if (!(Math.abs(instant - now) <= signatureAgeMsMax)) {
    throw new TableError('AuthenticationFailed', { evidence: () => ({ check: 'request-date', date, now }) });
  }
  const head =
    scheme === 'SharedKeyLite'
      ? `${date}\n`
      : `${request.method}\n${request.contentMd5}\n${request.contentType}\n${date}\n`;
  const { account, rawPath, query } = request.address;
  // Nearly all clients sign the path as they send it.
  if (!query.has('comp') && isSignedBy(signature, `${head}/${account}${rawPath}`, keys)) return;
  const resources = canonicalResources(request.address);
  for (const resource of resources) {
    if (isSignedBy(signature, head + resource, keys)) return;
  }
  const texts = resources.map((resource) => head + resource);
  throw new TableError('AuthenticationFailed', {
    variant: { name: 'signature-wrong', signed: texts[0] ?? '' },
    evidence: () => ({ check: 'signed-text', texts }),
  });
}
