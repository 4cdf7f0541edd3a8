// @azure/data-tables on its way to Cosmos DB, which it takes every URL with `localhost` for.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';

const env = process.env;
const client = '@azure/data-tables';
const { version } = JSON.parse(readFileSync(`node_modules/${client}/package.json`, 'utf8'));
const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
const methods = [];
const watched = {
  ...options,
  additionalPolicies: [
    {
      position: 'perRetry',
      policy: {
        name: 'watch',
        sendRequest(request, next) {
          methods.push(request.method);
          return next(request);
        },
      },
    },
  ],
};
const connection = env.COSMOS_TABLE_CONNECTION_STRING;
const service = TableServiceClient.fromConnectionString(connection, options);
const table = TableClient.fromConnectionString(connection, 'Smoke', watched);

/** Runs one step, and reports it. */
function step(check, run) {
  test(check, async () => {
    let why = '';
    try {
      await run();
    } catch (error) {
      why = String(error?.message ?? error).slice(0, 300);
      throw error;
    } finally {
      const line = { client, version, framework: true, check, result: why ? 'failed' : 'held', why };
      appendFileSync(env.TABLES_RESULTS, `${JSON.stringify(line)}\n`);
    }
  });
}

async function all(pages) {
  const found = [];
  for await (const one of pages) found.push(one);
  return found;
}

step('creates and lists tables, whose names are exact', async () => {
  await table.createTable();
  await service.createTable('smoke');
  const names = (await all(service.listTables())).map(({ name }) => name);
  assert.deepEqual(names.sort(), ['Smoke', 'smoke']);
  await service.deleteTable('smoke');
});
step('lists entities in the order of insertion, page by page', async () => {
  for (const rowKey of ['3', '10', '1', '2'])
    await table.createEntity({ partitionKey: 'p', rowKey, N: Number(rowKey) });
  const sizes = [];
  const rows = [];
  for await (const page of table.listEntities().byPage({ maxPageSize: 3 })) {
    sizes.push(page.length);
    rows.push(...page.map(({ rowKey }) => rowKey));
  }
  assert.deepEqual(
    [sizes, rows],
    [
      [3, 1],
      ['3', '10', '1', '2'],
    ],
  );
});
step('tunnels a merge through POST, under a tag', async () => {
  const { etag } = await table.getEntity('p', '1');
  await table.updateEntity({ partitionKey: 'p', rowKey: '1', Text: "Ä 'q' 😀" }, 'Merge', { etag });
  const { N, Text } = await table.getEntity('p', '1');
  assert.deepEqual([N, Text], [1, "Ä 'q' 😀"]);
  await assert.rejects(table.updateEntity({ partitionKey: 'p', rowKey: '1' }, 'Merge', { etag }), { statusCode: 412 });
  assert.ok(!methods.includes('PATCH'));
});
step('keeps every type', async () => {
  const values = {
    Date: new Date('2021-04-07T23:49:58.909Z'),
    Big: 9007199254740993n,
    Ratio: { type: 'Double', value: 3 },
    Id: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    Bytes: new Uint8Array([1, 2, 255]),
    Flag: true,
  };
  await table.upsertEntity({ partitionKey: 't', rowKey: 'r', ...values }, 'Replace');
  const read = await table.getEntity('t', 'r');
  assert.equal(read.Date.toISOString(), values.Date.toISOString());
  assert.deepEqual([read.Big, read.Ratio, read.Flag], [values.Big, 3, true]);
  assert.deepEqual([...read.Bytes], [1, 2, 255]);
});
step('commits a transaction or nothing', async () => {
  const done = await table.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: 'new' }],
    ['update', { partitionKey: 'p', rowKey: '1', A: 1 }, 'Merge'],
    ['upsert', { partitionKey: 'p', rowKey: '2', A: 1 }, 'Replace'],
    ['delete', { partitionKey: 'p', rowKey: '3' }],
  ]);
  assert.deepEqual(
    done.subResponses.map(({ status }) => status),
    [204, 204, 204, 204],
  );
  const failing = table.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: 'other' }],
    ['create', { partitionKey: 'p', rowKey: 'new' }],
  ]);
  await assert.rejects(failing, { statusCode: 409 });
  await assert.rejects(table.getEntity('p', 'other'), { statusCode: 404 });
});
step('filters and selects', async () => {
  const queryOptions = { filter: 'N ge 2 and N lt 11', select: ['RowKey', 'N'] };
  assert.deepEqual(await all(table.listEntities({ queryOptions })).then((rows) => rows.map(({ N }) => N)), [10]);
});
step('uses a signature for a table, but none for a range of keys', async () => {
  const fields = Object.fromEntries(connection.split(';').map((field) => field.split(/=(.*)/s).slice(0, 2)));
  const credential = new AzureNamedKeyCredential(fields.AccountName, fields.AccountKey);
  const open = (limits) => {
    const sas = generateTableSas('Smoke', credential, { permissions: { query: true }, ...limits });
    return new TableClient(fields.TableEndpoint, 'Smoke', new AzureSASCredential(sas), options);
  };
  assert.equal((await open({}).getEntity('p', '1')).N, 1);
  const range = { startPartitionKey: 'p', startRowKey: '1', endPartitionKey: 'p', endRowKey: '1' };
  await assert.rejects(open(range).getEntity('p', '1'), { statusCode: 405 });
});
step('is told that there are no service properties', async () => {
  await assert.rejects(service.setProperties({}), { statusCode: 405 });
});
