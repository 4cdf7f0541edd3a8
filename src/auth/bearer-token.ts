import { cloudTableDomains } from '../protocol/accounts.js';
import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import type { Identity } from './identity.js';

/** Who may have issued a token. Source: auth, section 4. */
const issuers = [
  'https://sts.windows.net/',
  'https://sts.microsoftonline.de/',
  'https://sts.chinacloudapi.cn/',
  'https://sts.windows-ppe.net',
];

/** For whom a token may be; an account's own address also, with or without a final slash. */
const audiences = ['https://storage.azure.com', 'e406a681-f3d4-42a8-90b6-c2b029497af1'];

/** What a token is checked against. */
export interface BearerContext {
  readonly account: string;
  /** The version the request named, if it named one. */
  readonly version: string | undefined;
  readonly now: number;
}

/**
 * Checks the claims of a bearer token: times, issuer, audience. Its signature is not verified and its roles are not
 * looked at, as with every local emulator.
 *
 * Errors: InvalidAuthenticationInfo for what is no token; for claims that do not hold AuthenticationFailed, or the
 * challenge from the version on that has it. Source: auth, section 4.
 */
export async function checkBearerToken(token: string, context: BearerContext): Promise<Identity> {
  const { decodeJwt } = await import('jose');
  let claims: { nbf?: unknown; exp?: unknown; iat?: unknown; iss?: unknown; aud?: unknown };
  try {
    claims = decodeJwt(token);
  } catch {
    throw new TableError('InvalidAuthenticationInfo');
  }
  const { nbf, exp, iat, iss, aud } = claims;
  const seconds = context.now / 1000;
  const holds =
    typeof nbf === 'number' &&
    typeof exp === 'number' &&
    typeof iat === 'number' &&
    nbf <= seconds &&
    seconds < exp &&
    typeof iss === 'string' &&
    issuers.some((issuer) => iss.startsWith(issuer)) &&
    [aud].flat().some((audience) => typeof audience === 'string' && isAudience(audience, context.account));
  if (!holds) throw refuseBearer(context.version);
  return { kind: 'bearer-token' };
}

/** What an unacceptable bearer token is answered with. */
export function refuseBearer(version: string | undefined): TableError {
  const challenged = version === undefined || version >= protocolVersions.bearerChallenge;
  return new TableError(challenged ? 'NoAuthenticationInformation' : 'AuthenticationFailed');
}

function isAudience(audience: string, account: string): boolean {
  const name = audience.replace(/\/$/, '');
  return audiences.includes(name) || cloudTableDomains.some((domain) => name === `https://${account}.${domain}`);
}
