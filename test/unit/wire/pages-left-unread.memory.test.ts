import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSignature } from '../../../src/auth/create-signature.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

const clients = 20;
const rows = 400;
const textUnits = 30_000;
/** More than the socket buffers of the system can keep, so that the server must keep the rest. Unit: bytes. */
const pageBytes = rows * textUnits;

let service: RunningService;
beforeEach(async () => {
  service = await startService();
  const client = new ServiceClient(() => service);
  await client.post('/Tables', { TableName: 'Unread' });
  for (let row = 0; row < rows; row++) {
    await client.post('/Unread', { PartitionKey: 'p', RowKey: String(row), Text: 'x'.repeat(textUnits) });
  }
});
afterEach(() => service.close());

/** Sends a query and reads only the head of its answer. */
async function askForPage(): Promise<ClientRequest> {
  const { name, keys } = service.account;
  const access = createSignature({ tn: 'Unread', sp: 'r', se: '2099-01-01' }, name, keys[0] ?? '');
  const asked = get(`${service.base}/Unread()?${access}`, { agent: false }).on('error', () => {});
  await once(asked, 'response');
  return asked;
}

it('The memory of an unread page is freed when its client disconnects, even without a garbage collection', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const asked: ClientRequest[] = [];
  for (let at = 0; at < clients; at++) asked.push(await askForPage());
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan((clients / 2) * pageBytes);

  for (const one of asked) one.destroy();

  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * pageBytes);
});
