import { TableError, type TableErrorCode } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import type { Right } from '../protocol/permissions.js';
import { signatureVersions } from '../protocol/versions.js';
import type { Identity, SignedKeyRange } from './identity.js';

/** Where a request asks for something, beside the table. */
export interface RequestedPlace {
  /** The version by which it is served. */
  readonly version: string;
}

/**
 * Checks that an identity has a right: first the resource type or the table, then the permissions.
 *
 * Errors: AuthorizationResourceTypeMismatch, AuthorizationFailure, AuthorizationPermissionMismatch; ResourceNotFound
 * in place of these for a signature of an old version, and for a bearer token. Source: checks-order 3.
 */
export function authorize(
  identity: Identity,
  right: Right,
  table: string | undefined,
  { version }: RequestedPlace,
): void {
  if (identity.kind === 'shared-key') return;
  if (identity.kind === 'bearer-token') {
    if (right.tokenSince === undefined || version < right.tokenSince) throw new TableError('ResourceNotFound');
    return;
  }
  const refusal = findRefusal(identity, right, table);
  if (refusal === undefined) return;
  throw new TableError(identity.version < signatureVersions.refusedAsForbidden ? 'ResourceNotFound' : refusal, {
    evidence: () => ({ check: 'right', signature: identity.kind, permissions: identity.permissions, table }),
  });
}

function findRefusal(
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
