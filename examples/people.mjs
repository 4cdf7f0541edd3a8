// Adds a person to the table "people", then prints the table: node examples/people.mjs Ada 1815
import { TableClient } from '@azure/data-tables';

const connection = process.env.AZURE_STORAGE_CONNECTION_STRING ?? 'UseDevelopmentStorage=true';
const [name = 'Ada', born = '1815'] = process.argv.slice(2);

const table = TableClient.fromConnectionString(connection, 'people', { allowInsecureConnection: true });
await table.createTable();
await table.upsertEntity({ partitionKey: 'people', rowKey: name, born: Number(born) });
for await (const person of table.listEntities()) console.log(`${person.rowKey}, born ${person.born}`);
