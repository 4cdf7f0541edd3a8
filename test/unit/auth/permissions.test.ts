import { describe, expect, it } from 'vitest';
import { authorize, signedRangeOf } from '../../../src/auth/authorize.js';
import type { Identity } from '../../../src/auth/identity.js';
import { operationTable } from '../../../src/operations/operation-table.js';
import type { Right } from '../../../src/protocol/access/permissions.js';
import { TableError } from '../../../src/protocol/errors.js';
import {
  lettersOf,
  rejectionOfAccount,
  rejectionOfTable,
  rights,
} from '../../support/signatures/sign-access-rights.js';

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

/** The rights in the operation table by the name of the operation. Upserts are included. */
const rightsByName: ReadonlyMap<string, Right> = new Map(
  operationTable.flatMap(({ operation, right, upsert }) => [
    [operation.name, right] as const,
    ...(upsert ? [[upsert.name, upsert.right] as const] : []),
  ]),
);

/** Returns the code with which an identity is rejected, or undefined if it is accepted. */
function codeOf(identity: Identity, operation: string, table?: string, version = '2019-02-02'): string | undefined {
  try {
    const right = rightsByName.get(operation);
    if (!right) throw new Error(`The operation table does not have ${operation}.`);
    authorize(identity, right, table, { account: 'devstoreaccount1', version });
    return undefined;
  } catch (error) {
    if (error instanceof TableError) return `${error.code}`;
    throw error;
  }
}

describe('authorize', () => {
  it('covers exactly the operations in the table of rights', () => {
    // The table of rights lists Get Entity as Query Entities. The last two do not have their own right yet.
    const others = ['Get Entity', 'Entity Group Transaction', 'Get User Delegation Key'];
    const expected = [...rights.map(({ operation }) => operation), ...others];

    expect([...rightsByName.keys()].sort()).toEqual(expected.sort());
    expect(rightsByName.get('Get Entity')).toEqual(rightsByName.get('Query Entities'));
  });

  describe.each(['s', 'c', 'o', 'sc', 'so', 'co', 'sco'])('with an account signature of srt=%s', (srt) => {
    it.each(rights)('permits $operation only with the permissions it requires', (right) => {
      for (const sp of lettersOf('rwdlacu')) {
        expect(codeOf(byAccount(srt, sp), right.operation, 'table'), `sp=${sp}`).toBe(
          rejectionOfAccount(right, srt, sp),
        );
      }
    });
  });

  describe('with a table signature', () => {
    it.each(rights)('permits $operation only with the permissions it requires', (right) => {
      for (const sp of lettersOf('raud')) {
        expect(codeOf(byTable('table', sp), right.operation, 'table'), `sp=${sp}`).toBe(rejectionOfTable(right, sp));
      }
    });

    it.each(rights.filter(({ table }) => table !== undefined))(
      'rejects $operation on another table',
      ({ operation }) => {
        expect(codeOf(byTable('table', 'raud'), operation, 'other')).toBe('AuthorizationFailure');
        expect(codeOf(byTable('table', ''), operation, 'other')).toBe('AuthorizationFailure');
      },
    );

    it('compares tables without regard to case', () => {
      expect(codeOf(byTable('table', 'r'), 'Query Entities', 'TABLE')).toBeUndefined();
    });
  });

  it.each(rights)('permits everything with Shared Key: $operation', ({ operation }) => {
    expect(codeOf({ kind: 'shared-key' }, operation, 'table')).toBeUndefined();
  });

  it.each(rights)(
    'permits everything except access policies with a bearer token: $operation',
    ({ operation, account }) => {
      const expected = account.length === 0 ? 'ResourceNotFound' : undefined;

      expect(codeOf({ kind: 'bearer-token' }, operation, 'table')).toBe(expected);
    },
  );

  it.each(rights)('permits everything with a bearer token from version 2025-07-05 on: $operation', ({ operation }) => {
    expect(codeOf({ kind: 'bearer-token' }, operation, 'table', '2025-05-05')).toBe(
      codeOf({ kind: 'bearer-token' }, operation, 'table'),
    );
    expect(codeOf({ kind: 'bearer-token' }, operation, 'table', '2025-07-05')).toBeUndefined();
  });

  it.each([
    ['2015-02-21', 'ResourceNotFound'],
    ['2015-04-05', 'AuthorizationPermissionMismatch'],
  ])('rejects a signature of version %s with %s', (version, code) => {
    expect(codeOf(byTable('table', 'a', version), 'Query Entities', 'table')).toBe(code);
  });
});

describe('The range of keys that an identity may see', () => {
  it('is that of its table signature', () => {
    const range = { from: { partitionKey: 'a', side: 'before' } } as const;

    expect(signedRangeOf({ kind: 'table-signature', version: '2019-02-02', table: 't', permissions: 'r', range })).toBe(
      range,
    );
  });

  it.each([byAccount('o', 'r'), { kind: 'shared-key' }, { kind: 'bearer-token' }] as const)(
    'has no limit for %o',
    (identity) => {
      expect(signedRangeOf(identity)).toBeUndefined();
    },
  );
});
