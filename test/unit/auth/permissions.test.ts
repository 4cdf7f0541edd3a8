import { describe, expect, it } from 'vitest';
import { authorize } from '../../../src/auth/authorize.js';
import type { Identity } from '../../../src/auth/identity.js';
import { TableError } from '../../../src/protocol/errors.js';
import { type AuthorizedOperation, operationPermissions } from '../../../src/protocol/permissions.js';
import { lettersOf, refusalOfAccount, refusalOfTable, rights } from '../../support/sign-access-rights.js';

const byAccount = (resourceTypes: string, permissions: string, version = '2019-02-02'): Identity => ({
  kind: 'account-signature',
  version,
  resourceTypes,
  permissions,
});
const byTable = (table: string, permissions: string, version = '2019-02-02'): Identity => ({
  kind: 'table-signature',
  version,
  table,
  permissions,
  range: {},
});

/** The code an identity is refused with, undefined where it is not. */
function codeOf(identity: Identity, operation: string, table?: string): string | undefined {
  try {
    authorize(identity, operation as AuthorizedOperation, table);
    return undefined;
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

describe('authorize', () => {
  it('knows every operation that the table of rights has, and no other', () => {
    const permitted = rights.filter(({ account }) => account.length > 0).map(({ operation }) => operation);

    expect(Object.keys(operationPermissions).sort()).toEqual(permitted.toSorted());
  });

  describe.each(['s', 'c', 'o', 'sc', 'so', 'co', 'sco'])('by an account signature of srt=%s', (srt) => {
    it.each(rights)('$operation', (right) => {
      for (const sp of lettersOf('rwdlacu')) {
        expect(codeOf(byAccount(srt, sp), right.operation, 'table'), `sp=${sp}`).toBe(refusalOfAccount(right, srt, sp));
      }
    });
  });

  describe('by a table signature', () => {
    it.each(rights)('$operation', (right) => {
      for (const sp of lettersOf('raud')) {
        expect(codeOf(byTable('table', sp), right.operation, 'table'), `sp=${sp}`).toBe(refusalOfTable(right, sp));
      }
    });

    it.each(rights.filter(({ table }) => table !== undefined))('$operation on another table', ({ operation }) => {
      expect(codeOf(byTable('table', 'raud'), operation, 'other')).toBe('AuthorizationFailure');
      expect(codeOf(byTable('table', ''), operation, 'other')).toBe('AuthorizationFailure');
    });

    it('compares tables without regard to case', () => {
      expect(codeOf(byTable('table', 'r'), 'Query Entities', 'TABLE')).toBeUndefined();
    });
  });

  it.each(rights)('lets Shared Key do everything: $operation', ({ operation }) => {
    expect(codeOf({ kind: 'shared-key' }, operation, 'table')).toBeUndefined();
  });

  it.each(rights)('lets a bearer token do everything but access policies: $operation', ({ operation, account }) => {
    const expected = account.length === 0 ? 'ResourceNotFound' : undefined;

    expect(codeOf({ kind: 'bearer-token' }, operation, 'table')).toBe(expected);
  });

  it.each([
    ['2015-02-21', 'ResourceNotFound'],
    ['2015-04-05', 'AuthorizationPermissionMismatch'],
  ])('refuses a signature of %s with %s', (version, code) => {
    expect(codeOf(byTable('table', 'a', version), 'Query Entities', 'table')).toBe(code);
  });
});
