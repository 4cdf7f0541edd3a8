import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultRule, startTabularium, type Tabularium } from '../../src/index.js';
import { sdkRejection } from '../support/clients/sdk-clients.js';

describe('A fault at the listener for Cosmos DB', () => {
  let instance: Tabularium;
  const table = (maxRetries = 3) =>
    TableClient.fromConnectionString(instance.cosmosConnectionString ?? '', 'Jobs', {
      allowInsecureConnection: true,
      retryOptions: { maxRetries, retryDelayInMs: 1, maxRetryDelayInMs: 4 },
    });
  const keysOf = async (maxPageSize: number) => {
    const keys: string[] = [];
    for await (const page of table().listEntities().byPage({ maxPageSize })) {
      keys.push(...page.map(({ rowKey }) => rowKey ?? ''));
    }
    return keys;
  };
  beforeAll(async () => {
    instance = await startTabularium({ cosmos: true });
    await table().createTable();
    for (const rowKey of ['c', 'a', 'b']) await table().createEntity({ partitionKey: 'p', rowKey });
  });
  afterAll(() => instance.close());

  it('answers 429 with the time after which the SDK repeats the request', async () => {
    await instance.faults.create([{ fault: { kind: 'error', code: 'TooManyRequests', retryAfterMs: 3 }, times: 1 }], {
      replace: true,
    });
    expect(await sdkRejection(table(0).getEntity('p', 'a'))).toMatchObject({ statusCode: 429 });
    await instance.faults.create([{ fault: { kind: 'error', code: 'TooManyRequests', retryAfterMs: 3 }, times: 2 }], {
      replace: true,
    });
    expect(await table().getEntity('p', 'a')).toMatchObject({ rowKey: 'a' });
    expect((await instance.faults.list())[0]?.hits).toBe(2);
  });

  it.each<FaultRule['fault']>([
    { kind: 'page', ends: 'rows', rows: 1 },
    { kind: 'page', ends: 'empty' },
    { kind: 'page', ends: 'partition' },
    { kind: 'page', ends: 'token' },
  ])('%j loses no entity', async (fault) => {
    await instance.faults.create([{ fault }], { replace: true });
    expect([await keysOf(2), await keysOf(1000)]).toEqual([
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ]);
  });
});
