import type { AccessPolicy } from '../protocol/access/access-policy.js';
import { TableError } from '../protocol/errors.js';
import { checkBearerToken, checkTokenForm, isChallenged, refuseBearer } from './bearer-token.js';
import { checkDelegationSignature, isBoundToUser, isDelegated } from './delegation-signature.js';
import { identifyPrincipal } from './identify-principal.js';
import type { Identity } from './identity.js';
import { checkSharedAccessSignature, hasSignature } from './shared-access-signature.js';
import { checkSharedKey, type SignedRequest } from './shared-key.js';
import type { AccountKeys } from './signing-key.js';
import type { TokenAuthority } from './token-authority.js';

/** The parts of a request that authentication reads. */
export interface Credentials extends SignedRequest {
  readonly authorization: string | undefined;
  /** The version that the request names, if any. */
  readonly version: string | undefined;
  readonly scheme: 'http' | 'https';
  /** IP address of the caller. */
  readonly caller: string;
}

/**
 * The account's keys and policies, and the time, that credentials are checked against. The account exists: parsing the
 * address refuses the others.
 */
export interface Authority {
  readonly keys: AccountKeys;
  /** For the times of shared access signatures and stored policies. Unit: milliseconds since 1970. */
  readonly now: number;
  /** For the age of signed requests and of tokens, which clients date by the real time. Unit: milliseconds since 1970. */
  readonly realNow: number;
  /** Whether the server accepts bearer tokens. */
  readonly bearerTokens: boolean;
  /** Verifies tokens; absent: the server has no identities. */
  readonly tokens?: TokenAuthority | undefined;
  /** Returns the stored access policies of a table, or undefined if the table does not exist. */
  policies(table: string): readonly AccessPolicy[] | undefined | Promise<readonly AccessPolicy[] | undefined>;
}

const schemeAndValue = /^\s*(\S+)\s+(\S+)\s*$/;

/**
 * Identifies the sender of a request by its `Authorization` header or, if it has none, by the signature in its query.
 * This runs before the resource path and the body are parsed.
 *
 * Errors: NoAuthenticationInformation if there are no credentials (AuthenticationFailed in older versions);
 * InvalidAuthenticationInfo if they are malformed; AuthenticationFailed if they are wrong; the errors of
 * `checkSharedAccessSignature`. Source: checks-order 2 step 5.
 */
export function authenticate(credentials: Credentials, authority: Authority): Identity | Promise<Identity> {
  const { authorization, version, address } = credentials;
  const { tokens } = authority;
  if (authorization === undefined) {
    if (hasSignature(address.query)) {
      if (tokens && isDelegated(address.query)) {
        return checkDelegationSignature({ ...authority, ...credentials }, tokens, undefined);
      }
      if (tokens?.refusesKeys) throw new TableError('KeyBasedAuthenticationNotPermitted');
      return checkSharedAccessSignature({ ...authority, ...credentials });
    }
    if (!isChallenged(version)) throw new TableError('AuthenticationFailed');
    const variant = tokens && ({ name: 'tenant-challenged', tenant: tokens.tenant } as const);
    throw new TableError('NoAuthenticationInformation', { variant });
  }
  const [, scheme, value] = schemeAndValue.exec(authorization) ?? [];
  if (value === undefined) throw new TableError('InvalidAuthenticationInfo');
  if (scheme === 'Bearer') {
    checkTokenForm(value);
    // No challenge, because plain HTTP would refuse any other token too.
    if (credentials.scheme !== 'https') {
      throw new TableError('AuthenticationFailed', { variant: { name: 'bearer-refused' } });
    }
    if (tokens && isBoundToUser(address.query)) return identifyBoundUser(value, tokens, credentials, authority);
    if (tokens) {
      return identifyPrincipal(value, tokens, { version, account: address.account, now: authority.realNow });
    }
    if (!authority.bearerTokens) throw refuseBearer(version);
    return checkBearerToken(value, { ...credentials, account: address.account, now: authority.realNow });
  }
  const colon = value.indexOf(':');
  if ((scheme !== 'SharedKey' && scheme !== 'SharedKeyLite') || colon <= 0 || colon === value.length - 1) {
    throw new TableError('InvalidAuthenticationInfo');
  }
  if (tokens?.refusesKeys) throw new TableError('KeyBasedAuthenticationNotPermitted');
  if (value.slice(0, colon) !== address.account) throw new TableError('AuthenticationFailed');
  checkSharedKey(scheme, value.slice(colon + 1), credentials, authority.keys, authority.realNow);
  return { kind: 'shared-key' };
}

/** Identifies the sender of a request with a signature that is bound to the user of its token. */
async function identifyBoundUser(
  token: string,
  tokens: TokenAuthority,
  credentials: Credentials,
  authority: Authority,
): Promise<Identity> {
  const { version, address } = credentials;
  const context = { version, account: address.account, now: authority.realNow };
  const { principal } = await identifyPrincipal(token, tokens, context);
  return checkDelegationSignature({ ...authority, ...credentials }, tokens, principal);
}
