/** Returns the claims of a bearer token for the tables of the development account. It is valid for an hour. */
export function goodClaims(): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000);
  return {
    aud: 'https://storage.azure.com',
    iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    iat: now - 60,
    nbf: now - 60,
    exp: now + 3600,
    oid: '23657296-5cd5-45b0-a809-d972a7f4dfe1',
    ver: '1.0',
  };
}

/** Returns a token with these claims. Its signature is invalid, but the server does not check it. */
export function writeToken(claims: Readonly<Record<string, unknown>> = goodClaims()): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signature = Buffer.from('this token is not signed').toString('base64url');
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.${signature}`;
}
