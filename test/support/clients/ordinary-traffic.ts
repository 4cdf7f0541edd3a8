import { expect } from 'vitest';
import type { RunningService } from '../servers/start-service.js';
import { sdkClients } from './sdk-clients.js';

const rows = 30;

/** Does with a table of its own what an application does, with the SDK, and checks each result. */
export async function workWithTable(service: RunningService, name: string): Promise<void> {
  const clients = sdkClients(service, 'path');
  const table = clients.table(name);
  await table.createTable();
  for (let row = 0; row < rows; row++) await table.createEntity({ partitionKey: 'a', rowKey: `${row}`, value: row });
  const added = Array.from({ length: rows }, (_, row) => ({
    partitionKey: 'b',
    rowKey: `${row}`,
    text: 'x'.repeat(200),
  }));
  await table.submitTransaction(added.map((entity) => ['create', entity]));

  const large: unknown[] = [];
  const queryOptions = { filter: `value ge ${rows / 2}` };
  for await (const entity of table.listEntities({ queryOptions })) large.push(entity.rowKey);
  expect(large).toHaveLength(rows / 2);

  const entity = await table.getEntity('a', '1');
  await table.updateEntity({ partitionKey: 'a', rowKey: '1', value: 'new' }, 'Merge', { etag: entity.etag });
  expect(await table.getEntity('a', '1')).toMatchObject({ value: 'new' });
  await table.deleteEntity('a', '2');
  let left = 0;
  for await (const _ of table.listEntities()) left++;
  expect(left).toBe(2 * rows - 1);
  await table.deleteTable();
  clients.close();
}
