import type { Address } from '../address/parse-address.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import { cloudTableDomains } from '../protocol/access/accounts.js';
import { TableError } from '../protocol/errors.js';
import { signatureAgeMsMax } from '../protocol/limits.js';
import type { RejectionEvidence } from '../protocol/rejection-evidence.js';
import { readHttpDate } from '../protocol/values/date-time.js';
import { protocolVersions } from '../protocol/versions.js';
import { canonicalResources } from './canonical-resource.js';
import { checkDelegationSignature, isBoundToUser, isDelegated } from './delegation-signature.js';
import type { Identity } from './identity.js';
import { checkSharedAccessSignature, hasSignature } from './shared-access-signature.js';
import { type AccountKeys, isSignedBy } from './signing-key.js';
import { type TokenAuthority, TokenFault, type VerifiedToken } from './token-authority.js';

/** The parts of a request that authentication reads. */
export interface Credentials extends SignedRequest {
  readonly authorization: string | undefined;
  /** The version that the request names, if any. */
  readonly version: string | undefined;
  readonly scheme: 'http' | 'https';
  readonly caller: string;
}

/**
 * The account's keys and policies, and the time, that credentials are checked against. The account exists: parsing the
 * address rejects the others.
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
      if (tokens?.rejectsKeys) throw new TableError('KeyBasedAuthenticationNotPermitted');
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
    // No challenge, because plain HTTP would reject any other token too.
    if (credentials.scheme !== 'https') {
      throw new TableError('AuthenticationFailed', { variant: { name: 'bearer-rejected' } });
    }
    if (tokens && isBoundToUser(address.query)) return identifyBoundUser(value, tokens, credentials, authority);
    if (tokens) {
      return identifyPrincipal(value, tokens, { version, account: address.account, now: authority.realNow });
    }
    if (!authority.bearerTokens) throw rejectBearer(version);
    return checkBearerToken(value, { ...credentials, account: address.account, now: authority.realNow });
  }
  const colon = value.indexOf(':');
  if ((scheme !== 'SharedKey' && scheme !== 'SharedKeyLite') || colon <= 0 || colon === value.length - 1) {
    throw new TableError('InvalidAuthenticationInfo');
  }
  if (tokens?.rejectsKeys) throw new TableError('KeyBasedAuthenticationNotPermitted');
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

type PrincipalIdentity = Extract<Identity, { readonly kind: 'principal' }>;

/** Longest value of a token in an explanation. (Our choice.) Unit: UTF-16 code units. */
const foundMax = 200;

/**
 * Identifies the sender of a request by a verified token. A known token costs one lookup and the check of its audience.
 *
 * Errors: that of `rejectBearer`, with the reason as evidence. Source: identity 2.
 */
function identifyPrincipal(
  token: string,
  tokens: TokenAuthority,
  context: BearerContext,
): PrincipalIdentity | Promise<PrincipalIdentity> {
  try {
    const verified = tokens.verify(token, context.now);
    if (!(verified instanceof Promise)) return identityOf(verified, tokens, context);
    return verified
      .then((done) => identityOf(done, tokens, context))
      .catch((error: unknown) => reject(error, tokens, context));
  } catch (error) {
    return reject(error, tokens, context);
  }
}

/** Returns the identity of a token for the account. Errors: TokenFault. */
function identityOf(
  { principal, audiences }: VerifiedToken,
  authority: TokenAuthority,
  { account }: BearerContext,
): PrincipalIdentity {
  if (audiences.some((audience) => isAudience(audience, account))) return { kind: 'principal', principal, authority };
  throw new TokenFault('Audience validation failed. Audience did not match.', {
    expected: 'https://storage.azure.com',
    found: audiences.join(', '),
  });
}

function reject(error: unknown, { tenant }: TokenAuthority, { version }: BearerContext): never {
  if (!(error instanceof TokenFault)) throw error;
  const { message: fault, expected } = error;
  // It is from the token, so its sender chooses the length.
  const found = error.found?.slice(0, foundMax);
  throw rejectBearer(version, { tenant, evidence: () => ({ check: 'token', fault, expected, found }) });
}

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
 * Errors: AuthenticationFailed. Storage accounts do not reveal the fault; Cosmos DB shows the text to sign.
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
  // Fast path: the client signs the path as it sends it.
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

/** Checks that a text has the three parts of a JSON Web Token, whatever is in them. Errors: InvalidAuthenticationInfo. Source: auth 5. */
function checkTokenForm(token: string): void {
  if (/^[^.]+\.[^.]+\.[^.]*$/.test(token)) return;
  const fault = 'It is not a JSON Web Token, which has three parts with dots between them.';
  const evidence = () => ({ check: 'token', fault, expected: undefined, found: undefined }) as const;
  throw new TableError('InvalidAuthenticationInfo', { evidence });
}

/**
 * Checks the claims of a bearer token: times, issuer and audience. Like other local emulators, it does not verify the
 * signature and ignores roles.
 *
 * Errors: InvalidAuthenticationInfo for a text that is not a token; for invalid claims, the error of `rejectBearer`.
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
  if (!holds) throw rejectBearer(context.version);
  return { kind: 'bearer-token' };
}

/**
 * Returns the error for a bearer token that is not accepted: a challenge, or AuthenticationFailed in versions without
 * challenges. Source: auth 4.
 */
export function rejectBearer(
  version: string | undefined,
  { tenant, evidence }: { readonly tenant?: string; readonly evidence?: () => RejectionEvidence } = {},
): TableError {
  const challenge = { name: 'bearer-challenged', ...(tenant !== undefined && { tenant }) } as const;
  return isChallenged(version)
    ? new TableError('InvalidAuthenticationInfo', { variant: challenge, evidence })
    : new TableError('AuthenticationFailed', { variant: { name: 'bearer-rejected' }, evidence });
}

/** Whether a version has challenges. Requests without a version are served by the newest. */
function isChallenged(version: string | undefined): boolean {
  return version === undefined || version >= protocolVersions.bearerChallenge;
}

/** Whether a token may be for the tables of an account, by its audience. Source: auth 4. */
function isAudience(audience: string, account: string): boolean {
  const name = audience.replace(/\/$/, '');
  return audiences.includes(name) || cloudTableDomains.some((domain) => name === `https://${account}.${domain}`);
}
