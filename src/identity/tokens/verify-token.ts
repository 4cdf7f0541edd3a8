import { type CryptoKey, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { type Principal, TokenFault, type VerifiedToken } from '../../auth/token-authority.js';
import { lowerAscii } from '../../protocol/names.js';
import type { IssuerKeys } from './issuer-keys.js';
import { foldIssuer, tenantIn } from './token-claims.js';

/** Number of cached tokens. A program has one token for each identity. (Our choice.) */
const verifiedMax = 1024;

/** Longest token. One of the cloud has about 2,000 characters. (Our choice.) */
const tokenMax = 16 * 1024;

interface Remembered extends VerifiedToken {
  /** Unit: milliseconds since 1970. */
  readonly expires: number;
}

/** The keys and principals for verification. */
export interface VerifierOptions {
  /** The keys of each issuer whose tokens are accepted, by the issuer with its tenant in lower case. */
  readonly issuers: ReadonlyMap<string, IssuerKeys>;
  /** Returns the principal of a token with a valid signature. */
  principalOf(ids: Pick<Principal, 'objectId' | 'clientId' | 'tenant'>): Principal;
}

/**
 * Verifies tokens: signature by RS256 alone, issuer and times. Issuer and key ID select one of the keys that this server knows;
 * nothing in a token names another one. Verified tokens are cached until they expire.
 */
export class TokenVerifier {
  readonly #options: VerifierOptions;
  readonly #verified = new Map<string, Remembered>();

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Verifies a token. `now` is in milliseconds since 1970. Errors: TokenFault. */
  verify(token: string, now: number): VerifiedToken | Promise<VerifiedToken> {
    const known = this.#verified.get(token);
    if (known === undefined) return this.#verifyNew(token, now);
    if (now < known.expires) return known;
    this.#verified.delete(token);
    throw expired(known.expires / 1000);
  }

  async #verifyNew(token: string, now: number): Promise<VerifiedToken> {
    const { sub: _, ...claims } = await this.#readClaims(token, now);
    const { oid, tid, appid, iss = '', aud = [], exp = 0 } = claims;
    if (typeof oid !== 'string' || typeof tid !== 'string') {
      throw new TokenFault('The token has no oid and tid, which name an identity and its tenant.');
    }
    if (!speaksFor(iss, tid, this.#options.issuers.keys())) {
      throw new TokenFault('The tenant of the token is not that of its issuer.', { found: tid });
    }
    const clientId = typeof appid === 'string' ? appid : undefined;
    const audiences = [aud].flat().filter((one) => typeof one === 'string');
    const principal = this.#options.principalOf({ objectId: oid, tenant: tid, clientId });
    const verified = { principal, audiences, expires: exp * 1000 };
    // Evicts the oldest, which costs one verification if it returns.
    const [oldest] = this.#verified.size >= verifiedMax ? this.#verified.keys() : [];
    if (oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(token, verified);
    return verified;
  }

  async #readClaims(token: string, now: number): Promise<JWTPayload> {
    if (token.length > tokenMax) throw new TokenFault('The token is too long.');
    const issuer = issuerIn(token);
    const keys = this.#options.issuers.get(foldIssuer(issuer));
    if (!keys) {
      const expected = [...this.#options.issuers.keys()].join(', ');
      throw new TokenFault('Issuer validation failed. Issuer did not match.', { expected, found: issuer });
    }
    try {
      checkSpelling(token);
      const { payload } = await jwtVerify(token, ({ kid }) => keyOf(keys, kid), {
        issuer,
        algorithms: ['RS256'],
        requiredClaims: ['exp', 'nbf', 'aud'],
        currentDate: new Date(now),
      });
      return payload;
    } catch (error) {
      throw asFault(error);
    }
  }
}

/**
 * Whether an issuer may speak for a tenant. One whose address has the ID of a tenant speaks for that tenant alone; another one
 * speaks for every tenant without its own issuer.
 */
function speaksFor(issuer: string, tenant: string, issuers: Iterable<string>): boolean {
  const asked = lowerAscii(tenant);
  const own = tenantIn(issuer);
  return own === undefined ? ![...issuers].some((one) => tenantIn(one) === asked) : own === asked;
}

/** Checks that the signature has its one spelling, so that a token has no others. Source: RFC 7515, section 2. */
function checkSpelling(token: string): void {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') === signature) return;
  throw new TokenFault('The text is not a valid JSON Web Token.');
}

/** Returns the issuer that a token names, only to select the keys. */
function issuerIn(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return iss;
  } catch {
    throw new TokenFault('The text is not a JSON Web Token.');
  }
  throw new TokenFault('The token names no issuer.');
}

function keyOf(keys: IssuerKeys, sent: unknown): CryptoKey {
  const kid = typeof sent === 'string' ? sent : undefined;
  const key = kid === undefined ? undefined : keys.get(kid);
  if (key) return key;
  throw new TokenFault('Signature validation failed. The key of the token is not known.', {
    expected: [...keys.keys()].join(', '),
    found: kid ?? 'no kid',
  });
}

function expired(at: number): TokenFault {
  const found = new Date(at * 1000);
  return new TokenFault('Lifetime validation failed. The token is expired.', {
    found: Number.isNaN(found.getTime()) ? String(at) : found.toISOString(),
  });
}

/** Returns why a token is not accepted, in the words of the service where these are known. Source: identity 2. */
function asFault(error: unknown): Error {
  if (error instanceof TokenFault) return error;
  if (error instanceof errors.JWTExpired) return expired(error.payload.exp ?? 0);
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'nbf'
      ? new TokenFault('Lifetime validation failed. The token is not yet valid.')
      : new TokenFault(`The claim ${error.claim} is missing or invalid.`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new TokenFault('Signature validation failed. The token was not signed with the key that it names.');
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return new TokenFault('Signature validation failed. The algorithm is not accepted.', { expected: 'RS256' });
  }
  if (error instanceof errors.JOSEError) return new TokenFault('The text is not a valid JSON Web Token.');
  return error instanceof Error ? error : new Error(String(error));
}
