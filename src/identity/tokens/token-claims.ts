import { randomUUID } from 'node:crypto';
import { lowerAscii } from '../../protocol/names.js';
import type { AssignedPrincipal } from '../principal.js';

/** How long before its issue a token is valid, as in the cloud: clocks of containers differ. Unit: seconds. */
const earlySeconds = 300;

/** Returns the issuer of the tokens of a tenant. Source: identity 2. */
export function issuerOf(tenant: string): string {
  return `https://sts.windows.net/${tenant}/`;
}

const tenantForm = /(?<=\/)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/i;

/** Returns an issuer with its tenant in lower case: GUIDs are case-insensitive. */
export function foldIssuer(issuer: string): string {
  return issuer.replace(tenantForm, lowerAscii);
}

/** Returns the tenant that the address of an issuer names, in lower case; undefined if it names none. */
export function tenantIn(issuer: string): string | undefined {
  return tenantForm.exec(foldIssuer(issuer))?.[0];
}

/** A token to be signed: its claims, and when it expires in seconds since 1970. */
export interface UnsignedToken {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly expires: number;
}

/** Returns the claims of a token for a managed identity. `now` is in milliseconds since 1970. Source: identity 2. */
export function claimsFor(
  { clientId, objectId, tenant }: AssignedPrincipal,
  audience: string,
  now: number,
  lifetime: number,
): UnsignedToken {
  const issued = Math.floor(now / 1000);
  const issuer = issuerOf(tenant);
  const expires = issued + lifetime;
  const claims = {
    ...{ aud: audience, iss: issuer, iat: issued - earlySeconds, nbf: issued - earlySeconds, exp: expires },
    ...{ appid: clientId, appidacr: '2', idp: issuer, idtyp: 'app', oid: objectId, sub: objectId, tid: tenant },
    ...{ uti: randomUUID(), ver: '1.0' },
  };
  return { claims, expires };
}
