import { describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import type { Identity } from '../../../src/auth/identity.js';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { RequestTables } from '../../../src/operations/request-tables.js';
import { routeTo } from '../../../src/service/route.js';
import type { Service } from '../../../src/service/service.js';
import type { Authenticated } from '../../../src/service/stages.js';
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
    const service = { dialect: storageDialect, now: Date.now } as Service;
    const head = { method: 'GET', headers: {} };
    const address = { account: 'devstoreaccount1', base: 'http://localhost/devstoreaccount1', secondary: false };
    const addressed = { address, version: '2019-02-02' };
    const tables = new RequestTables({} as TableStore, 'devstoreaccount1');
    const ask = (who: Identity) => () => {
      const sender = { received: head, addressed, identity: who, tables } as unknown as Authenticated;
      return routeTo(service, sender, head, { kind: 'service' }, query);
    };

    expect(ask(identity)).toThrow(expect.objectContaining({ code: 'AuthorizationPermissionMismatch' }));
    expect(ask({ kind: 'shared-key' })).toThrow(expect.objectContaining({ code: 'InvalidQueryParameterValue' }));
  });
});
