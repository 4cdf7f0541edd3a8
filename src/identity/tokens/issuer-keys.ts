import { type CryptoKey, importJWK, type JWK } from 'jose';
import { ConfigError, shownValue } from '../../config.js';

/** The public keys of an issuer by their IDs. */
export type IssuerKeys = ReadonlyMap<string, CryptoKey>;

/** The smallest RSA key that verifies a token. Source: RFC 7518, section 3.3. Unit: bits. */
const bitsMin = 2048;

/**
 * Reads the RSA keys of a document of keys (JWKS). Keys of other kinds are ignored. `path` names it in messages. Errors:
 * ConfigError if there is no such key, and for one that cannot verify a token.
 */
export async function readIssuerKeys(text: string, path: string): Promise<IssuerKeys> {
  const keys = new Map<string, CryptoKey>();
  for (const jwk of listedKeys(text, path)) {
    const { kty, kid, n, e, use = 'sig', alg = 'RS256' } = jwk;
    if (kty !== 'RSA' || typeof kid !== 'string' || use !== 'sig' || alg !== 'RS256') continue;
    // Only the public part, whatever else the document has.
    const key = await importJWK({ kty, n, e } as JWK, 'RS256').catch((error: unknown) => {
      throw new ConfigError(
        `${path}: the key ${shownValue(kid)} cannot be read: ${error instanceof Error ? error.message : error}.`,
      );
    });
    if (key instanceof Uint8Array) continue;
    const bits = (key.algorithm as unknown as { readonly modulusLength: number }).modulusLength;
    // The library throws for each token of such a key.
    if (bits < bitsMin)
      throw new ConfigError(
        `${path}: the key ${shownValue(kid)} has ${bits} bits. An RSA key needs at least ${bitsMin}.`,
      );
    keys.set(kid, key);
  }
  if (keys.size === 0)
    throw new ConfigError(`${path} has no RSA key for signatures with a kid. Save the jwks_uri of the issuer.`);
  return keys;
}

function listedKeys(text: string, path: string): readonly Readonly<Record<string, unknown>>[] {
  let document: { keys?: unknown } | null = null;
  try {
    document = JSON.parse(text);
  } catch {
    // Falls through to the message for a document without keys.
  }
  const keys = document?.keys;
  if (!Array.isArray(keys))
    throw new ConfigError(`${path} is not a document of keys, as {"keys": [{"kty": "RSA", …}]}.`);
  return keys.filter((key) => typeof key === 'object' && key !== null);
}
