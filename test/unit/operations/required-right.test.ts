import { describe, expect, it } from 'vitest';
import { commitWrites } from '../../../src/operations/commit-writes.js';
import type { StoreOperation, WriteOperation } from '../../../src/operations/operation.js';
import { operationTable } from '../../../src/operations/operation-table.js';
import { RequiredRight } from '../../../src/operations/required-right.js';
import { runOperation } from '../../../src/operations/run-operation.js';
import type { RightMoment } from '../../../src/protocol/permissions.js';
import type { TableStore } from '../../../src/store/store.js';
import { operationRequest } from '../../support/operation-request.js';

const key = { partitionKey: 'p', rowKey: 'r' };
const resource = { kind: 'entity', table: 'Made', key } as const;
const requestAskedAt = (asked: RightMoment) =>
  operationRequest({ resource, right: new RequiredRight({ asked }, { kind: 'shared-key' }, resource) });

/** A store with the table, which fails the test as soon as an operation uses it. */
const untouched = {
  findTable: (_account: string, name: string) => ({ name, created: '0' }),
  commit: () => expect.fail('the store was asked to commit'),
} as unknown as TableStore;

describe('An operation whose right is never asked', () => {
  it('is not run', async () => {
    const forgetful: StoreOperation = {
      name: 'Made Up',
      kind: 'store',
      run: () => expect.fail('the operation ran'),
    };

    // Only the reading of a request's headers asks at this moment, and here nothing has read any.
    const answer = runOperation(untouched, forgetful, requestAskedAt('before-headers'));

    await expect(answer).rejects.toThrow('a right was never asked (its moment: before-headers)');
  });

  it('does not write', async () => {
    const forgetful: WriteOperation = {
      name: 'Made Up',
      kind: 'write',
      prepare: () => ({ kind: 'delete', key, ifMatch: '*' }),
      answer: () => ({ status: 204 }),
    };

    const answers = commitWrites(untouched, [{ operation: forgetful, request: requestAskedAt('before-input') }]);

    await expect(answers).rejects.toThrow('a right was never asked (its moment: before-input)');
  });

  it('runs once its right was asked', async () => {
    const remembered: StoreOperation = { name: 'Made Up', kind: 'store', run: () => ({ status: 204 }) };

    expect(await runOperation(untouched, remembered, requestAskedAt('before-input'))).toEqual({ status: 204 });
  });
});

describe('The moment at which a right is asked', () => {
  const momentsOf = {
    store: ['before-headers', 'before-input', 'after-input', 'table-found'],
    write: ['table-found'],
    batch: ['of-each-part'],
  };

  it.each(operationTable)('comes for $operation.name', ({ operation, right, upsert }) => {
    expect(momentsOf[operation.kind]).toContain(right.asked);
    if (upsert) expect(upsert.right.asked).toBe(right.asked);
  });

  it('is before the input of an operation is read, or after', async () => {
    const moments: string[] = [];
    const operation: StoreOperation = {
      name: 'Made Up',
      kind: 'store',
      read: () => moments.push('read'),
      needsTable: () => true,
      run: () => ({ status: 204 }),
    };
    const store = {
      findTable: () => {
        moments.push('find table');
        return { name: 'Made', created: '0' };
      },
    } as unknown as TableStore;
    const watched = operationRequest({ resource });
    const askAt = (moment: RightMoment) => void moments.push(moment);

    await runOperation(store, operation, {
      ...watched,
      right: Object.assign(watched.right, { askAt, checkAsked() {} }),
    });

    expect(moments).toEqual(['before-input', 'read', 'after-input', 'find table', 'table-found']);
  });
});
