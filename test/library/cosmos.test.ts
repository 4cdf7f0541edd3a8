import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { TableClient, type TableEntity, TableServiceClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { makeFolder } from '../support/programs/make-folder.js';

const options = { allowInsecureConnection: true };
const tableOf = (connection: string | undefined, name: string) =>
  TableClient.fromConnectionString(connection ?? '', name, options);

async function rowsOf(table: TableClient, filter = ''): Promise<readonly TableEntity[]> {
  const rows: TableEntity[] = [];
  const queryOptions = filter === '' ? {} : { filter };
  for await (const row of table.listEntities<TableEntity>({ queryOptions })) rows.push(row);
  return rows;
}

// Source: cosmos 13; cosmos 14.
describe('An instance that also speaks as Cosmos DB', () => {
  let instance: Tabularium;
  beforeEach(async () => {
    instance = await startTabularium({ cosmos: true });
  });
  afterEach(() => instance.close());

  const withPeople = async (connection = instance.cosmosConnectionString) => {
    const people = tableOf(connection, 'People');
    await people.createTable();
    for (const rowKey of ['3', '1', '2']) await people.createEntity({ partitionKey: 'p', rowKey });
    return people;
  };

  it('has a connection string of its own, with the well-known account', () => {
    const port = new URL(instance.cosmosUrl ?? '').port;

    expect(instance.cosmosUrl).toBe(`http://localhost:${port}`);
    expect(instance.cosmosConnectionString).toMatch(
      new RegExp(
        `^DefaultEndpointsProtocol=http;AccountName=localhost;AccountKey=[^;]+;TableEndpoint=http://localhost:${port}/;$`,
      ),
    );
    expect(instance.connectionStringOf('localhost')).toBe(instance.cosmosConnectionString);
    expect(instance.endpoint('localhost')).toBe(`http://localhost:${port}/`);
    expect(instance.connectionString).toContain('devstoreaccount1');
  });

  it('serves an SDK, which tunnels its merges, and lists in the order of insertion', async () => {
    const people = await withPeople();

    await people.updateEntity({ partitionKey: 'p', rowKey: '3', name: 'é' }, 'Merge');
    await people.submitTransaction([
      ['upsert', { partitionKey: 'p', rowKey: '1', age: 1 }, 'Merge'],
      ['delete', { partitionKey: 'p', rowKey: '2' }],
    ]);

    expect(await rowsOf(people)).toMatchObject([
      { rowKey: '3', name: 'é' },
      { rowKey: '1', age: 1 },
    ]);
    const merges = (await instance.requests.list({ op: 'MergeEntity' })).map(({ Method }) => Method);
    expect(merges).toEqual(['POST']);
  });

  it('keeps its accounts apart from those of storage', async () => {
    await withPeople();

    const service = TableServiceClient.fromConnectionString(instance.connectionString, options);

    expect((await service.listTables().next()).value).toBeUndefined();
    const crossed = await fetch(`${instance.cosmosUrl}/devstoreaccount1/Tables`);
    const back = await fetch(`${instance.url}/localhost/Tables`);
    expect([crossed.status >= 400, back.status]).toEqual([true, 404]);
  });

  it('classifies its queries by the partitions that they ask, and the coach finds no scans of tables', async () => {
    const scan = async (table: TableClient) => {
      for (let at = 0; at < 3; at++)
        await rowsOf(table, "PartitionKey eq 'p' and RowKey eq '1' or PartitionKey eq 'q' and RowKey eq '2'");
      return (await instance.coach.show({ ended: true })).findings.map(({ rule }) => rule);
    };

    const ofCosmos = await scan(await withPeople());
    const ofStorage = await scan(await withPeople(instance.connectionString));

    const classes = (await instance.requests.list({ op: 'QueryEntities' })).map((one) => [one.AccountName, one.Class]);
    expect([...new Set(classes.map(String))]).toEqual(['localhost,cross-partition', 'devstoreaccount1,table-scan']);
    expect([ofCosmos, ofStorage]).toEqual([[], ['table-scan']]);
  });

  it('says why it rejects what an SDK sends that does not know it for Cosmos DB', async () => {
    const people = await withPeople(instance.cosmosConnectionString?.replace('localhost:', '127.0.0.1:'));

    const merge = people.updateEntity({ partitionKey: 'p', rowKey: '1', A: 1 }, 'Merge');

    await expect(merge).rejects.toMatchObject({ statusCode: 400 });
    const [rejected] = await instance.requests.list({ status: 400 });
    expect(await instance.why(rejected?.CorrelationId ?? '')).toMatchObject({
      cause: 'not-in-service-patch',
      advice: expect.stringContaining('X-HTTP-Method: MERGE'),
    });
  });

  it('imports what it exports: tables with names of Cosmos DB, and no empty keys', async () => {
    const data = '{"$table":"with-dash"}\n{"PartitionKey":"p","RowKey":"r"}\n';

    const report = await instance.import([data, '{"PartitionKey":"p","RowKey":""}\n'], { account: 'localhost' });

    expect(report).toMatchObject({ rows: 1, rejected: [{ line: 3, code: 'PropertiesNeedValue' }] });
    expect(await text(await instance.export({ account: 'localhost' }))).toBe(data);
  });

  it('has snapshots, branches and resets of both services', async () => {
    const people = await withPeople();
    await withPeople(instance.connectionString);
    await instance.snapshots.create('before');
    const branch = await instance.branches.create({ from: 'before', account: 'localhost' });
    await people.deleteTable();
    await instance.snapshots.restore('before');

    const branched = tableOf(branch.connectionString, 'People');
    await branched.createEntity({ partitionKey: 'p', rowKey: '0' });
    await branched.updateEntity({ partitionKey: 'p', rowKey: '3', A: 1 }, 'Merge');

    const keys = async (table: TableClient) => (await rowsOf(table)).map(({ rowKey }) => rowKey);
    expect(branch.endpoint).toBe(`${instance.cosmosUrl}/${branch.account}`);
    expect(await keys(branched)).toEqual(['3', '1', '2', '0']);
    expect(await keys(people)).toEqual(['3', '1', '2']);
    expect(await keys(tableOf(instance.connectionString, 'People'))).toEqual(['1', '2', '3']);
    expect(await instance.reset({ account: 'localhost' })).toMatchObject({ tables: 1 });
    expect(await keys(branched)).toHaveLength(4);
  });
});

describe('A branch of Cosmos DB', () => {
  it('is served again after a restart, and by no other service', async () => {
    const folder = await makeFolder();
    try {
      const start = (cosmos: boolean) => startTabularium({ location: folder, cosmos });
      const first = await start(true);
      await tableOf(first.cosmosConnectionString, 'People').createTable();
      const { account, key } = await first.branches.create({ account: 'localhost', from: 'localhost' });
      await first.close();

      const second = await start(false);
      const rejected = await fetch(`${second.url}/${account}/Tables`);
      await second.close();
      expect(rejected.status).toBe(404);

      const third = await start(true);
      const endpoint = `${third.cosmosUrl}/${account}`;
      const text = `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${endpoint};`;
      await tableOf(text, 'People').createEntity({ partitionKey: 'p', rowKey: 'r' });
      expect(await rowsOf(tableOf(text, 'People'))).toHaveLength(1);
      await third.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
