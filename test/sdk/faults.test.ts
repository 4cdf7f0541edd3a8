import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultRule, startTabularium, type Tabularium } from '../../src/index.js';
import { sdkRejection } from '../support/clients/sdk-clients.js';

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
    ['ServerBusy', { statusCode: 503, code: 'ServerBusy' }],
    ['OperationTimedOut', { statusCode: 500, code: 'OperationTimedOut' }],
    ['InternalError', { statusCode: 500, code: 'InternalError' }],
  ])('%s is an error that the policy of the SDK recovers from', async (fault, rejection) => {
    await instance.faults.create({ fault, times: 1 });
    expect(await sdkRejection(table({ maxRetries: 0 }).createEntity(job))).toEqual(rejection);

    await instance.faults.create({ fault, times: 3 });
    await table().createEntity(job);

    expect(await hits()).toEqual([1, 3]);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it('throttle rejects a partition that has used up its rate, and no other', async () => {
    // One entity, and then one in a quarter of an hour.
    const fault = { kind: 'throttle', partition: 0.001, burst: '1000s' } as const;
    await instance.faults.create({ fault, times: 4 });
    await table().createEntity({ partitionKey: 'p', rowKey: 'first' });
    await table().createEntity({ partitionKey: 'other', rowKey: 'first' });
    expect(await sdkRejection(table({ maxRetries: 0 }).createEntity(job))).toEqual({
      statusCode: 503,
      code: 'ServerBusy',
    });

    await table().createEntity(job);

    expect(await hits()).toEqual([4]);
  });

  it('throttle counts the entities that a query tests', async () => {
    for (const rowKey of ['1', '2', '3', '4']) await table().createEntity({ partitionKey: 'p', rowKey });
    await instance.faults.create({ fault: { kind: 'throttle', partition: 0.001, burst: '3000s' } });
    const filter = "PartitionKey eq 'p' and state eq 'none'";
    expect(await table().listEntities({ queryOptions: { filter } }).next()).toMatchObject({ done: true });
    expect(await sdkRejection(table({ maxRetries: 0 }).getEntity('p', '1'))).toMatchObject({ code: 'ServerBusy' });
  });

  it('TableBeingDeleted is an error that the SDK does not repeat', async () => {
    await instance.faults.create({ fault: 'TableBeingDeleted', times: 1 });
    expect(await sdkRejection(table().createTable())).toEqual({ statusCode: 409, code: 'TableBeingDeleted' });
    expect(await hits()).toEqual([1]);
  });

  it('OperationTimedOut after the write lets the repeated insert fail with 409', async () => {
    await instance.faults.create({ fault: { kind: 'error', code: 'OperationTimedOut', applied: true }, times: 1 });

    expect(await sdkRejection(table().createEntity(job))).toEqual({ statusCode: 409, code: 'EntityAlreadyExists' });

    expect(await hits()).toEqual([1]);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it.each(['nc', 'na'] as const)('%s is a broken connection that the policy of the SDK recovers from', async (cut) => {
    await instance.faults.create({ fault: { kind: 'connection', cut }, times: 3 });
    await table().createEntity(job);
    expect(await hits()).toEqual([3]);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it.each(['nc', 'na'] as const)('%s after an insert lets the repeated insert fail with 409', async (cut) => {
    await instance.faults.create({ fault: { kind: 'connection', cut, when: 'after' }, times: 1 });
    expect(await sdkRejection(table().createEntity(job))).toEqual({ statusCode: 409, code: 'EntityAlreadyExists' });
    expect(await hits()).toEqual([1]);
  });

  it.each(['pc', 'pa'] as const)('%s is half an answer, which the program gets as an error', async (cut) => {
    await table().createEntity(job);
    await instance.faults.create({ fault: { kind: 'connection', cut }, times: 1 });
    await expect(table().getEntity('p', 'r')).rejects.toThrow();
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it('a client can leave a request that gets no answer', async () => {
    await instance.faults.create({ fault: { kind: 'connection', cut: 'n' }, times: 1 });
    const leave = new AbortController();
    const left = expect(table().createEntity(job, { abortSignal: leave.signal })).rejects.toThrow('aborted');
    await expect.poll(hits).toEqual([1]);
    leave.abort();
    await left;
    await table().createEntity(job);
  });

  it('a rival lets a conditional write fail with 412, and the repeated read and write succeeds', async () => {
    await table().createEntity(job);
    await instance.faults.create({ fault: 'rivalWrite', times: 1 });
    const update = async () => {
      const { etag } = await table().getEntity('p', 'r');
      return table().updateEntity({ ...job, state: 'done' }, 'Replace', { etag });
    };
    expect(await sdkRejection(update())).toEqual({ statusCode: 412, code: 'UpdateConditionNotSatisfied' });
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
    await update();
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'done' });
    expect(await hits()).toEqual([1]);
  });

  it('a rival lets a transaction fail as a whole, and leaves unconditional writes alone', async () => {
    const { etag = '' } = await table().createEntity(job);
    await instance.faults.create({ fault: 'rivalWrite', times: 1 });
    await table().upsertEntity({ ...job, rowKey: 'other' });
    const both = table().submitTransaction([
      ['update', { ...job, state: 'done' }, 'Replace', { etag }],
      ['create', { ...job, rowKey: 's' }],
    ]);
    await expect(both).rejects.toMatchObject({ statusCode: 412 });
    await expect(table().getEntity('p', 's')).rejects.toMatchObject({ statusCode: 404 });
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it.each<FaultRule['fault']>([
    { kind: 'page', ends: 'rows', rows: 3 },
    { kind: 'page', ends: 'empty' },
    { kind: 'page', ends: 'partition' },
    { kind: 'page', ends: 'token' },
  ])('%j does not hide entities from a program that follows the tokens', async (fault) => {
    const keys = ['a1', 'a2', 'b1', 'c1', 'c2', 'c3', 'd1'];
    for (const [partitionKey = '', rowKey = ''] of keys) await table().createEntity({ partitionKey, rowKey });
    await instance.faults.create({ fault });
    for (const maxPageSize of [1, 2, 3, 1000]) {
      const found: string[] = [];
      for await (const page of table().listEntities().byPage({ maxPageSize })) {
        found.push(...page.map(({ partitionKey, rowKey }) => `${partitionKey}${rowKey}`));
      }
      expect(found).toEqual(keys);
    }
  });

  it('TooManyRequests names a time, after which the policy of the SDK repeats the request', async () => {
    await instance.faults.create({ fault: { kind: 'error', code: 'TooManyRequests', retryAfterMs: 5 }, times: 2 });
    await table().createEntity(job);
    expect(await hits()).toEqual([2]);
  });

  it('requestUnits reject an account that has used them up', async () => {
    // Five units, and then one in a quarter of an hour.
    await instance.faults.create({ fault: { kind: 'throttle', requestUnits: 0.001, burst: '5000s' }, times: 1 });
    await table().createEntity(job);
    const rejected = table({ maxRetries: 0 }).getEntity('p', 'r');
    expect(await sdkRejection(rejected)).toEqual({ statusCode: 429, code: 'TooManyRequests' });
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
  });

  it('latency only takes time', async () => {
    await instance.faults.create({ fault: { kind: 'latency', min: 1, max: 5 }, times: 2 });
    await table().createEntity(job);
    expect(await table().getEntity('p', 'r')).toMatchObject({ state: 'new' });
    expect(await hits()).toEqual([2]);
  });

  it('a transaction is rejected as a whole, and done as a whole when it is repeated', async () => {
    await instance.faults.create({ when: { partitionKey: 'p' }, fault: 'ServerBusy', times: 1 });
    await table().submitTransaction([
      ['create', job],
      ['create', { ...job, rowKey: 's' }],
    ]);
    expect(await hits()).toEqual([1]);
    expect(await table().getEntity('p', 's')).toMatchObject({ state: 'new' });
  });

  it('a request that is forged is still rejected with 403', async () => {
    await instance.faults.create({ fault: 'ServerBusy' });
    const wrong = instance.connectionString.replace(/AccountKey=[^;]*/, 'AccountKey=AAAA');
    const forged = TableClient.fromConnectionString(wrong, 'Jobs', { allowInsecureConnection: true });
    expect(await sdkRejection(forged.createEntity(job))).toMatchObject({ statusCode: 403 });
    expect(await hits()).toEqual([0]);
  });
});
