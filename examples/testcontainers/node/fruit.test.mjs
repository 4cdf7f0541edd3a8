import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { AzuriteContainer } from '@testcontainers/azurite';

test('reads what it wrote', async (t) => {
  const storage = await new AzuriteContainer('tabularium:full').start();
  t.after(() => storage.stop());

  const table = TableClient.fromConnectionString(storage.getConnectionString(), 'Fruit', {
    allowInsecureConnection: true,
  });
  await table.createTable();
  await table.createEntity({ partitionKey: 'citrus', rowKey: 'lemon', color: 'yellow' });
  assert.equal((await table.getEntity('citrus', 'lemon')).color, 'yellow');
});
