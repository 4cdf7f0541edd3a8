import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import { type AccountKeys, checkSharedKey, type SignedRequest } from './shared-key.js';

/** Who sent a request, and so what it may do. */
export type Identity = { readonly kind: 'shared-key' };

/** What authentication reads of a request. */
export interface Credentials extends SignedRequest {
  readonly authorization: string | undefined;
  /** The version the request named, if it named one. */
  readonly version: string | undefined;
}

/**
 * Finds out who sent a request, before anything of its path or body is looked at.
 *
 * Errors: NoAuthenticationInformation or, for older versions, AuthenticationFailed where there are no credentials;
 * InvalidAuthenticationInfo where they cannot be read; AuthenticationFailed where they do not hold.
 * Source: checks-order, section 2 step 5.
 */
export function authenticate(credentials: Credentials, keys: AccountKeys, now: number): Identity {
  const { authorization, version, address } = credentials;
  if (authorization === undefined) {
    if (version !== undefined && version < protocolVersions.bearerChallenge) {
      throw new TableError('AuthenticationFailed');
    }
    throw new TableError('NoAuthenticationInformation');
  }
  const parts = /^(SharedKey|SharedKeyLite) ([^:\s]+):(\S+)$/.exec(authorization.trim());
  if (!parts) throw new TableError('InvalidAuthenticationInfo');
  const [, scheme, account, signature = ''] = parts;
  if (account !== address.account) throw new TableError('AuthenticationFailed');
  checkSharedKey(scheme as 'SharedKey' | 'SharedKeyLite', signature, credentials, keys, now);
  return { kind: 'shared-key' };
}
