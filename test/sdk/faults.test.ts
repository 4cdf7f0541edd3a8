import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultRule, startTabularium, type Tabularium } from '../../src/index.js';
import { sdkRefusal } from '../support/sdk-clients.js';

/** The policy of the SDK, with short pauses between its tries. */
const quickly = { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 4 };

describe('A fault, seen through the unmodified SDK', () => {
  let instance: Tabularium;
  const table = (retryOptions: { readonly maxRetries: number } = quickly) =>
    TableClient.fromConnectionString(instance.connectionString, 'Jobs', {
      allowInsecureConnection: true,
      retryOptions,
    });
  const job = { partitionKey: 'p', rowKey: 'r', state: 'new' };
  const hits = async () => (await instance.faults.list()).map((fault) => fault.hits);

  beforeEach(async () => {
    instance = await startTabularium();
    await table().createTable();
  });
  afterEach(() => instance.close());

  it.each<[FaultRule['fault'], { statusCode: number; code: string }]>([
    ['serverBusy', { statusCode: 503, code: 'ServerBusy' }],
    ['operationTimedOut', { statusCode: 500, code: 'OperationTimedOut' }],
    ['internalError', { statusCode: 500, code: 'InternalError' }],
  ])('%s is an error that the policy of the SDK recovers from', async (fault, refusal) => {
    await instance.faults.add({ fault, times: 1 });
    expect(await sdkRefusal(table({ maxRetries: 0 }).createEntity(job))).toEqual(refusal);

    await instance.faults.add({ fault, times: 3 });
    await table().createEntity(job);

    expect(await hits()).toEqual([1, 3]);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it('tableBeingDeleted is an error that the SDK does not repeat', async () => {
    await instance.faults.add({ fault: 'tableBeingDeleted', times: 1 });
    expect(await sdkRefusal(table().createTable())).toEqual({ statusCode: 409, code: 'TableBeingDeleted' });
    expect(await hits()).toEqual([1]);
  });

  it('operationTimedOut after the write lets the repeated insert fail with 409', async () => {
    await instance.faults.add({ fault: { kind: 'operationTimedOut', applied: true }, times: 1 });

    expect(await sdkRefusal(table().createEntity(job))).toEqual({ statusCode: 409, code: 'EntityAlreadyExists' });

    expect(await hits()).toEqual([1]);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it('latency only takes time', async () => {
    await instance.faults.add({ fault: { kind: 'latency', min: 1, max: 5 }, times: 2 });
    await table().createEntity(job);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
    expect(await hits()).toEqual([2]);
  });

  it('a transaction is refused as a whole, and done as a whole when it is repeated', async () => {
    await instance.faults.add({ when: { partitionKey: 'p' }, fault: 'serverBusy', times: 1 });
    await table().submitTransaction([
      ['create', job],
      ['create', { ...job, rowKey: 's' }],
    ]);
    expect(await hits()).toEqual([1]);
    expect(await table().getEntity('p', 's')).toMatchObject({ state: 'new' });
  });

  it('a request that is forged is still refused with 403', async () => {
    await instance.faults.add({ fault: 'serverBusy' });
    const wrong = instance.connectionString.replace(/AccountKey=[^;]*/, 'AccountKey=AAAA');
    const forged = TableClient.fromConnectionString(wrong, 'Jobs', { allowInsecureConnection: true });
    expect(await sdkRefusal(forged.createEntity(job))).toMatchObject({ statusCode: 403 });
    expect(await hits()).toEqual([0]);
  });
});
