import { cloudTableDomains } from '../protocol/access/accounts.js';
import { TableError } from '../protocol/errors.js';
import type { RefusalEvidence } from '../protocol/refusal-evidence.js';
import { protocolVersions } from '../protocol/versions.js';
import type { Identity } from './identity.js';

/** The issuers that the service accepts, as the start of the `iss` claim. Source: auth 4. */
const issuers = [
  'https://sts.windows.net/',
  'https://sts.microsoftonline.de/',
  'https://sts.chinacloudapi.cn/',
  'https://sts.windows-ppe.net',
];

/** Accepted audiences. The account's own address is accepted too, with or without a final slash. */
const audiences = ['https://storage.azure.com', 'e406a681-f3d4-42a8-90b6-c2b029497af1'];

/** The request and the time that a token is checked against. */
export interface BearerContext {
  readonly account: string;
  /** The version that the request names, if any. */
  readonly version: string | undefined;
  /** Unit: milliseconds since 1970. */
  readonly now: number;
}

/**
 * Checks that a text has the three parts of a JSON Web Token, whatever is in them.
 *
 * Errors: InvalidAuthenticationInfo. Source: auth 5.
 */
export function checkTokenForm(token: string): void {
  if (/^[^.]+\.[^.]+\.[^.]*$/.test(token)) return;
  const fault = 'It is not a JSON Web Token, which has three parts with dots between them.';
  const evidence = () => ({ check: 'token', fault, expected: undefined, found: undefined }) as const;
  throw new TableError('InvalidAuthenticationInfo', { evidence });
}

/**
 * Checks the claims of a bearer token: times, issuer and audience. Like other local emulators, it does not verify the
 * signature and ignores roles.
 *
 * Errors: InvalidAuthenticationInfo for a text that is not a token; for invalid claims, the error of `refuseBearer`.
 * Source: auth 4.
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

/**
 * Returns the error for a bearer token that is not accepted: a challenge, or AuthenticationFailed in versions without
 * challenges. Source: auth 4.
 */
export function refuseBearer(
  version: string | undefined,
  { tenant, evidence }: { readonly tenant?: string; readonly evidence?: () => RefusalEvidence } = {},
): TableError {
  const challenge = { name: 'bearer-challenged', ...(tenant !== undefined && { tenant }) } as const;
  return isChallenged(version)
    ? new TableError('InvalidAuthenticationInfo', { variant: challenge, evidence })
    : new TableError('AuthenticationFailed', { variant: { name: 'bearer-refused' }, evidence });
}

/** Whether a version has challenges. Requests without a version are served by the newest. */
export function isChallenged(version: string | undefined): boolean {
  return version === undefined || version >= protocolVersions.bearerChallenge;
}

/** Whether a token may be for the tables of an account, by its audience. Source: auth 4. */
export function isAudience(audience: string, account: string): boolean {
  const name = audience.replace(/\/$/, '');
  return audiences.includes(name) || cloudTableDomains.some((domain) => name === `https://${account}.${domain}`);
}
