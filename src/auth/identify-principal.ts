import { type BearerContext, isAudience, refuseBearer } from './bearer-token.js';
import type { Identity } from './identity.js';
import { type TokenAuthority, TokenFault, type VerifiedToken } from './token-authority.js';

type PrincipalIdentity = Extract<Identity, { readonly kind: 'principal' }>;

/** How much of a value of a token an explanation shows. (Our choice.) Unit: UTF-16 code units. */
const foundMax = 200;

/**
 * Identifies the sender of a request by a token that must be verified. A token that was verified before costs one lookup and the
 * check of its audience.
 *
 * Errors: that of `refuseBearer`, with the reason as evidence. Source: identity 2.
 */
export function identifyPrincipal(
  token: string,
  tokens: TokenAuthority,
  context: BearerContext,
): PrincipalIdentity | Promise<PrincipalIdentity> {
  try {
    const verified = tokens.verify(token, context.now);
    if (!(verified instanceof Promise)) return identityOf(verified, tokens, context);
    return verified
      .then((done) => identityOf(done, tokens, context))
      .catch((error: unknown) => refuse(error, tokens, context));
  } catch (error) {
    return refuse(error, tokens, context);
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

function refuse(error: unknown, { tenant }: TokenAuthority, { version }: BearerContext): never {
  if (!(error instanceof TokenFault)) throw error;
  const { message: fault, expected } = error;
  // It is from the token, so that its sender decides how long it is.
  const found = error.found?.slice(0, foundMax);
  throw refuseBearer(version, { tenant, evidence: () => ({ check: 'token', fault, expected, found }) });
}
