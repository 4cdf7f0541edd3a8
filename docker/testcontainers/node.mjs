// npm install --save-dev @testcontainers/azurite @azure/data-tables
import { TableClient } from '@azure/data-tables';
import { AzuriteContainer } from '@testcontainers/azurite';

const storage = await new AzuriteContainer('tabularium:full').withInMemoryPersistence().start();
const table = TableClient.fromConnectionString(storage.getConnectionString(), 'Fruit', {
  allowInsecureConnection: true,
});
await table.createTable();
await storage.stop();
