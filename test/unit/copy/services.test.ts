import { TableServiceClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { copyBetween, exported, manyRows, startTwo } from '../../support/copy/copy-between.js';

it('Entities for which the target fails for good are listed as rejected, and the others are copied', async () => {
  const bad = ['1', '2'].map((key) => `{"PartitionKey":"bad","RowKey":"${key}"}\n`).join('');
  await using servers = await startTwo(`{"$table":"Few"}\n${bad}${manyRows(250).replace('Many', 'Some')}`);
  const { one, other } = servers;
  const fault = { kind: 'error', code: 'InternalError' } as const;
  await other.faults.create({ when: { operation: ['transaction', 'insert'], partitionKey: 'bad' }, fault, times: 99 });
  const report = await copyBetween(one.connectionString, other.connectionString, {}, { tries: 2 });
  expect(report.tables).toMatchObject([
    { table: 'Few', read: 2, written: 0, rejected: 2, verified: 'same' },
    { table: 'Some', read: 250, written: 250, rejected: 0, verified: 'same' },
  ]);
  expect(report.rejected.map(({ rowKey, code }) => [rowKey, code])).toEqual([
    ['1', 'InternalError'],
    ['2', 'InternalError'],
  ]);
});

it('A target that fails for everything ends the copy', async () => {
  await using servers = await startTwo(manyRows(250));
  const { one, other } = servers;
  const fault = { kind: 'error', code: 'InternalError' } as const;
  // The table is created and found empty before.
  await other.faults.create({ when: { operation: ['transaction', 'insert'] }, fault, times: 999 });
  await other.faults.create({ when: { operation: 'query' }, after: 1, fault, times: 999 });
  const copy = copyBetween(one.connectionString, other.connectionString, {}, { tries: 2 });
  await expect(copy).rejects.toThrow(/Many of .* cannot be read: 500 InternalError/);
});

it('A failure that passes rejects no entity', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  await other.faults.create({ when: { operation: 'transaction' }, fault: 'InternalError', times: 1 });
  const report = await copyBetween(one.connectionString, other.connectionString);
  expect(report).toMatchObject({ rows: 3, rejectedRows: 0 });
});

it('Service properties are copied between accounts if they are asked for', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  const clientOf = (end: string) => TableServiceClient.fromConnectionString(end, { allowInsecureConnection: true });
  const corsRules = [
    {
      ...{ allowedOrigins: 'https://example.com', allowedMethods: 'GET', allowedHeaders: 'x-ms-*' },
      ...{ exposedHeaders: '*', maxAgeInSeconds: 300 },
    },
  ];
  await clientOf(one.connectionString).setProperties({ cors: corsRules });
  await copyBetween(one.connectionString, other.connectionString);
  expect((await clientOf(other.connectionString).getProperties()).cors ?? []).toEqual([]);
  await copyBetween(one.connectionString, other.connectionString, { settings: true });
  expect((await clientOf(other.connectionString).getProperties()).cors).toEqual(corsRules);
  expect(await exported(other)).toBe(await exported(one));
});
