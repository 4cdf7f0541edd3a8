import { calculateJwkThumbprint, exportJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { AssignedPrincipal } from '../principal.js';
import type { OwnKey } from './own-key.js';
import { claimsFor } from './token-claims.js';

/** A token, and when it expires in seconds since 1970. */
export interface IssuedToken {
  readonly token: string;
  readonly expires: number;
}

/** Issues the tokens of a server. */
export class Issuer {
  /** The public key, as others need it to verify the tokens. */
  readonly publicKey: JWK;
  readonly #key: OwnKey;
  readonly #keyId: string;

  private constructor(key: OwnKey, publicKey: JWK, keyId: string) {
    this.#key = key;
    this.#keyId = keyId;
    this.publicKey = { ...publicKey, kid: keyId, use: 'sig', alg: 'RS256' };
  }

  static async open(key: OwnKey): Promise<Issuer> {
    const jwk = await exportJWK(key.publicKey);
    return new Issuer(key, jwk, await calculateJwkThumbprint(jwk));
  }

  /** Issues a token. `now` is in milliseconds since 1970, `lifetime` in seconds. */
  async issue(principal: AssignedPrincipal, audience: string, now: number, lifetime: number): Promise<IssuedToken> {
    const { claims, expires } = claimsFor(principal, audience, now, lifetime);
    return { token: await this.sign(claims), expires };
  }

  /** Signs claims. `header` overrides the usual header. */
  sign(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const usual = { typ: 'JWT', alg: 'RS256', kid: this.#keyId };
    return new SignJWT(claims).setProtectedHeader({ ...usual, ...header }).sign(this.#key.privateKey);
  }
}
