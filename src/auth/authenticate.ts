import type { AccessPolicy } from '../protocol/access-policy.js';
import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import { checkBearerToken, refuseBearer } from './bearer-token.js';
import type { Identity } from './identity.js';
import { checkSharedAccessSignature, hasSignature } from './shared-access-signature.js';
import { checkSharedKey, type SignedRequest } from './shared-key.js';
import type { AccountKeys } from './signing-key.js';

/** What authentication reads of a request. */
export interface Credentials extends SignedRequest {
  readonly authorization: string | undefined;
  /** The version the request named, if it named one. */
  readonly version: string | undefined;
  readonly scheme: 'http' | 'https';
  /** Address of the caller. */
  readonly caller: string;
}

/** What authentication knows of the account. */
export interface Authority {
  readonly keys: AccountKeys;
  readonly now: number;
  /** Whether bearer tokens are taken at all. */
  readonly bearerTokens: boolean;
  /** The stored access policies of a table; undefined where it does not exist. */
  policies(table: string): readonly AccessPolicy[] | undefined | Promise<readonly AccessPolicy[] | undefined>;
}

/**
 * Finds out who sent a request, before anything of its path or body is looked at: by its `Authorization` header, else
 * by its signature in the query.
 *
 * Errors: NoAuthenticationInformation or, for older versions, AuthenticationFailed where there are no credentials;
 * InvalidAuthenticationInfo where they cannot be read; AuthenticationFailed where they do not hold; those of shared
 * access signatures. Source: checks-order, section 2 step 5.
 */
export function authenticate(credentials: Credentials, authority: Authority): Identity | Promise<Identity> {
  const { authorization, version, address } = credentials;
  if (authorization === undefined) {
    if (hasSignature(address.query)) return checkSharedAccessSignature({ ...authority, ...credentials });
    if (version !== undefined && version < protocolVersions.bearerChallenge) {
      throw new TableError('AuthenticationFailed');
    }
    throw new TableError('NoAuthenticationInformation');
  }
  const [scheme, value = '', ...more] = authorization.trim().split(/\s+/);
  if (more.length > 0 || value === '') throw new TableError('InvalidAuthenticationInfo');
  if (scheme === 'Bearer') {
    // Not challenged: another token would be refused over plain HTTP, too.
    if (credentials.scheme !== 'https') throw new TableError('AuthenticationFailed');
    if (!authority.bearerTokens) throw refuseBearer(version);
    return checkBearerToken(value, { ...credentials, account: address.account, now: authority.now });
  }
  const colon = value.indexOf(':');
  if ((scheme !== 'SharedKey' && scheme !== 'SharedKeyLite') || colon <= 0 || colon === value.length - 1) {
    throw new TableError('InvalidAuthenticationInfo');
  }
  if (value.slice(0, colon) !== address.account) throw new TableError('AuthenticationFailed');
  checkSharedKey(scheme, value.slice(colon + 1), credentials, authority.keys, authority.now);
  return { kind: 'shared-key' };
}
