import { describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import { readOperation } from '../../../src/http/read-operation.js';

describe('Get Table Service Stats', () => {
  it('asks for the right before it checks the endpoint', () => {
    const identity = {
      kind: 'account-signature',
      version: '2019-02-02',
      resourceTypes: 's',
      permissions: 'w',
    } as const;
    const primary = {
      account: 'devstoreaccount1',
      base: 'http://localhost/devstoreaccount1',
      query: new Query('restype=service&comp=stats'),
      secondary: false,
      isGone: () => false,
    };
    const head = { method: 'GET', header: () => undefined };
    const ask = (who: Parameters<typeof readOperation>[2]['identity']) => () =>
      readOperation(head, { kind: 'service' }, { ...primary, identity: who }, '2019-02-02');

    expect(ask(identity)).toThrow(expect.objectContaining({ code: 'AuthorizationPermissionMismatch' }));
    expect(ask({ kind: 'shared-key' })).toThrow(expect.objectContaining({ code: 'InvalidQueryParameterValue' }));
  });
});
