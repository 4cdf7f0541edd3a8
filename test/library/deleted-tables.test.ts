import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { tableNames, tableOf } from '../support/bodies/instance-tables.js';
import { sdkRejection } from '../support/clients/sdk-clients.js';

it('The name of a deleted table is rejected for a while, and the table is gone', async () => {
  await using instance = await startTabularium({ deleteTableMs: 600_000 });
  const table = tableOf(instance.connectionString, 'Jobs');
  await table.createTable();
  await table.deleteTable();

  const rejected = { statusCode: 409, code: 'TableBeingDeleted' };
  expect(await sdkRejection(tableOf(instance.connectionString, 'JOBS').createTable())).toEqual(rejected);
  expect(await sdkRejection(table.createEntity({ partitionKey: 'p', rowKey: 'r' }))).toEqual(rejected);
  // The SDK reads no code of an answer to a transaction that is not one.
  const transaction = table.submitTransaction([['delete', { partitionKey: 'p', rowKey: 'r' }]]);
  expect(await sdkRejection(transaction)).toEqual({ statusCode: 409 });
  expect(await tableNames(instance)).toEqual([]);
  await tableOf(instance.connectionString, 'Other').createTable();
});

it('The name of a deleted table of Cosmos DB is rejected, and one in other letter case is not', async () => {
  await using instance = await startTabularium({ deleteTableMs: 600_000, cosmos: true });
  const tableOfCosmos = (name: string) => tableOf(instance.cosmosConnectionString ?? '', name);
  await tableOfCosmos('Jobs').createTable();
  await tableOfCosmos('Jobs').deleteTable();

  expect(await sdkRejection(tableOfCosmos('Jobs').createTable())).toMatchObject({ statusCode: 409 });
  await tableOfCosmos('jobs').createTable();
});

it('The name of a deleted table is free again after that time', async () => {
  await using instance = await startTabularium({ deleteTableMs: 1 });
  const table = tableOf(instance.connectionString, 'Jobs');
  await table.createTable();
  await table.deleteTable();
  await expect
    .poll(() =>
      table.createTable().then(
        () => 'created',
        () => 'rejected',
      ),
    )
    .toBe('created');
});

it('A deleted table that a restore has brought back is not rejected', async () => {
  await using instance = await startTabularium({ deleteTableMs: 600_000 });
  const table = tableOf(instance.connectionString, 'Jobs');
  await table.createTable();
  await instance.snapshots.create('base');
  await table.deleteTable();
  await instance.snapshots.restore('base');
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
});

it('A table that could not be deleted keeps its name', async () => {
  await using instance = await startTabularium({ deleteTableMs: 600_000 });
  const table = tableOf(instance.connectionString, 'Jobs');
  await table.deleteTable();
  await table.createTable();
  expect(await tableNames(instance)).toEqual(['Jobs']);
});
