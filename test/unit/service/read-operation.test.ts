import { describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import type { Identity } from '../../../src/auth/identity.js';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { RequestTables } from '../../../src/operations/request-tables.js';
import { readOperation } from '../../../src/service/read-operation.js';
import type { TableStore } from '../../../src/store/store.js';

describe('Get Table Service Stats', () => {
  it('asks for the right before it checks the endpoint', () => {
    const identity = {
      kind: 'account-signature',
      version: '2019-02-02',
      resourceTypes: 's',
      permissions: 'w',
    } as const;
    const query = new Query('restype=service&comp=stats');
    const primary = {
      account: 'devstoreaccount1',
      base: 'http://localhost/devstoreaccount1',
      secondary: false,
      headers: {},
      version: '2019-02-02',
      tables: new RequestTables({} as TableStore, 'devstoreaccount1'),
      dialect: storageDialect,
      now: Date.now,
      isGone: () => false,
    };
    const head = { method: 'GET', headers: {} };
    const ask = (who: Identity) => () => readOperation(head, { kind: 'service' }, query, { ...primary, identity: who });

    expect(ask(identity)).toThrow(expect.objectContaining({ code: 'AuthorizationPermissionMismatch' }));
    expect(ask({ kind: 'shared-key' })).toThrow(expect.objectContaining({ code: 'InvalidQueryParameterValue' }));
  });
});
