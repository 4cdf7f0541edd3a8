import type { Right } from '../protocol/access/permissions.js';
import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { signatureVersions } from '../protocol/versions.js';
import type { Identity, SignedKeyRange } from './identity.js';
import type { Principal } from './token-authority.js';

/** The target of a request, besides the table. */
export interface RequestedPlace {
  readonly account: string;
  readonly version: string;
}

/**
 * Checks that an identity has a right: first the resource type or the table, then the permissions.
 *
 * Errors: AuthorizationResourceTypeMismatch, AuthorizationFailure, AuthorizationPermissionMismatch; ResourceNotFound
 * in place of these for a signature of an old version, and for a bearer token. Source: checks-order 3.
 */
export function authorize(identity: Identity, right: Right, table: string | undefined, place: RequestedPlace): void {
  if (identity.kind === 'shared-key') return;
  if (identity.kind === 'bearer-token') {
    checkTokens(right, place);
    return;
  }
  if (identity.kind === 'principal') {
    checkTokens(right, place);
    checkRoles(identity.principal, right, table, place);
    return;
  }
  const rejection = findRejection(identity, right, table);
  const delegator = identity.kind === 'table-signature' ? identity.delegator : undefined;
  if (rejection === undefined && delegator) checkRoles(delegator, right, table, place);
  if (rejection === undefined) return;
  throw new TableError(identity.version < signatureVersions.rejectedAsForbidden ? 'ResourceNotFound' : rejection, {
    evidence: () => ({ check: 'right', signature: identity.kind, permissions: identity.permissions, table }),
  });
}

/** Checks that tokens reach an operation at all. */
function checkTokens({ tokenSince }: Right, { version }: RequestedPlace): void {
  if (tokenSince === undefined || version < tokenSince) throw new TableError('ResourceNotFound');
}

/** Checks that the roles of a principal permit an operation. Source: identity 4. */
function checkRoles(
  principal: Principal,
  { role }: Right,
  table: string | undefined,
  { account }: RequestedPlace,
): void {
  if (role && principal.allows(role, account, table)) return;
  throw new TableError('AuthorizationPermissionMismatch', {
    evidence: () => ({
      check: 'role',
      identity: principal.name ?? principal.objectId,
      isListed: principal.name !== undefined,
      held: principal.roles,
      elsewhere: role ? principal.rolesFor(role) : [],
      need: role,
      account,
      table,
    }),
  });
}

function findRejection(
  identity: Extract<Identity, { permissions: string }>,
  { accountSignature, tableSignature }: Right,
  table: string | undefined,
): TableErrorCode | undefined {
  if (identity.kind === 'account-signature') {
    if (!accountSignature) return 'AuthorizationFailure';
    if (!identity.resourceTypes.includes(accountSignature.resourceType)) return 'AuthorizationResourceTypeMismatch';
    const allowed = accountSignature.permissions.some((letters) => hasAll(identity.permissions, letters));
    return allowed ? undefined : 'AuthorizationPermissionMismatch';
  }
  if (tableSignature === undefined || lowerAscii(table ?? '') !== identity.table) return 'AuthorizationFailure';
  return hasAll(identity.permissions, tableSignature) ? undefined : 'AuthorizationPermissionMismatch';
}

function hasAll(permissions: string, letters: string): boolean {
  return [...letters].every((letter) => permissions.includes(letter));
}

/** Returns the range of keys that an identity is limited to; undefined if it may see every row. */
export function signedRangeOf(identity: Identity): SignedKeyRange | undefined {
  return identity.kind === 'table-signature' ? identity.range : undefined;
}
