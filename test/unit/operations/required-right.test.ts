import { beforeEach, describe, expect, it } from 'vitest';
import { commitWrites } from '../../../src/operations/commit-writes.js';
import type { StoreOperation, WriteOperation } from '../../../src/operations/operation.js';
import { operationTable } from '../../../src/operations/operation-table.js';
import { RequiredRight } from '../../../src/operations/required-right.js';
import { runOperation } from '../../../src/operations/run-operation.js';
import type { RightMoment } from '../../../src/protocol/access/permissions.js';
import { TableError } from '../../../src/protocol/errors.js';
import type { TableStore } from '../../../src/store/store.js';
import { emptyBody, operationRequest } from '../../support/clients/operation-request.js';

const key = { partitionKey: 'p', rowKey: 'r' };
const resource = { kind: 'entity', table: 'Made', key } as const;
const checkedAt = (moment: RightMoment) =>
  operationRequest(untouched, {
    resource,
    right: new RequiredRight({ moment }, { kind: 'shared-key' }, resource, {
      account: 'devstoreaccount1',
      version: '2019-02-02',
    }),
  });

/** A store with the table, which fails the test as soon as an operation uses it. */
const untouched = {
  openTable: (_account: string, name: string) => ({
    find: () => ({ name, created: '0' }),
    commit: () => expect.fail('the store was asked to commit'),
  }),
} as unknown as TableStore;

describe('An operation whose right is never checked', () => {
  it('is not run', () => {
    const forgetful: StoreOperation = {
      name: 'Get Table',
      kind: 'store',
      run: () => expect.fail('the operation ran'),
    };

    // Only the reading of a request's headers checks at this moment, and here nothing has read any.
    const run = () => runOperation(untouched, forgetful, checkedAt('before-headers'), emptyBody);

    expect(run).toThrow('a right was never checked (its moment: before-headers)');
  });

  it('does not write', async () => {
    const forgetful: WriteOperation = {
      name: 'Get Table',
      kind: 'write',
      prepare: () => ({ kind: 'delete', key, ifMatch: '*' }),
      answer: () => ({ kind: 'entity-deleted' }),
    };

    const answers = commitWrites([{ operation: forgetful, request: checkedAt('before-input'), body: emptyBody }]);

    await expect(answers).rejects.toThrow('a right was never checked (its moment: before-input)');
  });

  it('runs once its right was checked', async () => {
    const remembered: StoreOperation = { name: 'Get Table', kind: 'store', run: () => ({ kind: 'table-deleted' }) };

    expect(await runOperation(untouched, remembered, checkedAt('before-input'), emptyBody)).toEqual({
      kind: 'table-deleted',
    });
  });
});

describe('The moment at which a right is checked', () => {
  const momentsOf = {
    store: ['before-headers', 'before-input', 'after-input', 'table-found'],
    write: ['table-found'],
    batch: ['of-each-part'],
  };

  it.each(operationTable)('comes for $operation.name', ({ operation, right, upsert }) => {
    expect(momentsOf[operation.kind]).toContain(right.moment);
    if (upsert) expect(upsert.right.moment).toBe(right.moment);
  });

  const moments: string[] = [];
  beforeEach(() => {
    moments.length = 0;
  });
  const operation: StoreOperation = {
    name: 'Get Table',
    kind: 'store',
    read: () => moments.push('read'),
    needsTable: () => true,
    run: () => {
      moments.push('run');
      return { kind: 'table-deleted' };
    },
  };
  /** A store in which the table is there, or missing. */
  const storeWith = (table: object | undefined) => {
    const find = () => {
      moments.push('find table');
      return table;
    };
    return { openTable: () => ({ find }) } as unknown as TableStore;
  };
  /** A request that notes when its right is checked, and is rejected at one of these moments. */
  const watchedRequest = (store: TableStore, rejectedAt?: RightMoment) => {
    const watched = operationRequest(store, { resource });
    const checkAt = (moment: RightMoment) => {
      moments.push(moment);
      if (moment === rejectedAt) throw new TableError('AuthorizationFailure');
    };
    Object.assign(watched.shared.right, { checkAt, assertChecked() {} });
    return watched;
  };

  it('is before the input of an operation is read, or after', async () => {
    const store = storeWith({ name: 'Made', created: '0' });

    await runOperation(store, operation, watchedRequest(store), emptyBody);

    expect(moments).toEqual(['before-input', 'read', 'after-input', 'table-found', 'run']);
  });

  it.each([
    ['that is there', { name: 'Made', created: '0' }, 'AuthorizationFailure'],
    ['that is missing', undefined, 'TableNotFound'],
  ])('is followed by a look for the table %s when the caller does not have the right', async (_which, table, code) => {
    const store = storeWith(table);

    const answer = runOperation(store, operation, watchedRequest(store, 'table-found'), emptyBody);

    await expect(answer).rejects.toMatchObject({ code });
    expect(moments).toEqual(['before-input', 'read', 'after-input', 'table-found', 'find table']);
  });
});
