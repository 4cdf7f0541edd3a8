// Uses the package as a project does, with only the package and the SDK. Prints the results as JSON.
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { startTabularium } from 'tabularium';

/** Returns the names of an account's tables. */
async function tableNames({ connectionString }) {
  const names = [];
  const service = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
  for await (const { name } of service.listTables()) names.push(name);
  return names;
}

const [location] = process.argv.slice(2);
const seen = {};
for (const [place, options] of [
  ['memory', {}],
  ['disk', { location }],
]) {
  const server = await startTabularium(options);
  const table = TableClient.fromConnectionString(server.connectionString, 'Fruit', { allowInsecureConnection: true });
  await table.createTable();
  await table.submitTransaction(
    ['apple', 'pear', 'plum'].map((rowKey, at) => ['create', { partitionKey: 'tree', rowKey, weight: at * 50 }]),
  );
  const heavy = [];
  for await (const { rowKey } of table.listEntities({ queryOptions: { filter: 'weight ge 50' } })) heavy.push(rowKey);
  const before = await tableNames(server);
  await server.reset();
  seen[place] = { heavy, before, after: await tableNames(server) };
  await server.close();
}
process.stdout.write(JSON.stringify(seen));
