import { Query } from '../../src/address/query.js';
import type { OperationRequest } from '../../src/operations/operation.js';
import { RequiredRight } from '../../src/operations/required-right.js';

/** A request of the account's owner as operations see it, with these members changed. */
export function operationRequest(changes: Partial<OperationRequest>): OperationRequest {
  const identity = { kind: 'shared-key' } as const;
  const resource = changes.resource ?? { kind: 'tables' };
  return {
    account: 'devstoreaccount1',
    secondary: false,
    identity,
    right: new RequiredRight({ asked: 'before-input' }, identity, resource),
    resource,
    query: new Query(''),
    base: 'http://localhost/devstoreaccount1',
    version: '2019-02-02',
    level: 'minimalmetadata',
    prefer: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    body: '',
    isGone: () => false,
    ...changes,
  };
}
