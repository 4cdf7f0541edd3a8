import { TableError, type TableErrorCode } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { type AuthorizedOperation, operationPermissions, type Permission } from '../protocol/permissions.js';
import { signatureVersions } from '../protocol/versions.js';
import type { Identity, SignedKeyRange } from './identity.js';

/**
 * Checks that an identity may run an operation on a table: first the resource type or the table, then the letters.
 *
 * Errors: AuthorizationResourceTypeMismatch, AuthorizationFailure, AuthorizationPermissionMismatch; for old signatures
 * ResourceNotFound; ResourceNotFound for access policies with a bearer token. Source: checks-order, section 3.
 */
export function authorize(identity: Identity, operation: AuthorizedOperation, table?: string): void {
  if (identity.kind === 'shared-key') return;
  const permission = permissionOf(operation);
  if (identity.kind === 'bearer-token') {
    if (permission === undefined) throw new TableError('ResourceNotFound');
    return;
  }
  const refusal = findRefusal(identity, permission, table);
  if (refusal === undefined) return;
  throw new TableError(identity.version < signatureVersions.refusedAsForbidden ? 'ResourceNotFound' : refusal);
}

function permissionOf(operation: AuthorizedOperation): Permission | undefined {
  return operation in operationPermissions
    ? operationPermissions[operation as keyof typeof operationPermissions]
    : undefined;
}

function findRefusal(
  identity: Extract<Identity, { permissions: string }>,
  permission: Permission | undefined,
  table: string | undefined,
): TableErrorCode | undefined {
  if (permission === undefined) return 'AuthorizationFailure';
  if (identity.kind === 'account-signature') {
    if (!identity.resourceTypes.includes(permission.resourceType)) return 'AuthorizationResourceTypeMismatch';
    const allowed = permission.account.some((letters) => hasAll(identity.permissions, letters));
    return allowed ? undefined : 'AuthorizationPermissionMismatch';
  }
  if (permission.table === undefined || lowerAscii(table ?? '') !== identity.table) return 'AuthorizationFailure';
  return hasAll(identity.permissions, permission.table) ? undefined : 'AuthorizationPermissionMismatch';
}

function hasAll(permissions: string, letters: string): boolean {
  return [...letters].every((letter) => permissions.includes(letter));
}

/** Returns the range of keys that an identity is limited to; undefined if it may see every row. */
export function signedRangeOf(identity: Identity): SignedKeyRange | undefined {
  return identity.kind === 'table-signature' ? identity.range : undefined;
}
