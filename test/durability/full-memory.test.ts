import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Answer } from '../support/answers/answer.js';
import { eachInFolder, startChild } from '../support/programs/child-server.js';

let folder: string;
eachInFolder((made) => {
  folder = made;
});

/** More rows than the heap of the test could hold. */
const rowsMax = 10_000;

it('A server in memory rejects writes before its heap is full, says why, and still serves reads, deletions and then writes', async () => {
  const server = await startChild({ node: ['--max-old-space-size=128'], flags: ['--debug', join(folder, 'log')] });
  const client = server.client();
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}/_tabularium/${path}`);
    return [response.status, await response.json()] as const;
  };
  const insert = (table: string, row: number) =>
    client.post(`/${table}`, { PartitionKey: 'p', RowKey: `${row}`, A: `${row}`.padEnd(30_000, 'é') });
  for (const TableName of ['First', 'Second']) expect((await client.post('/Tables', { TableName })).status).toBe(201);

  let rejected: Answer | undefined;
  let count = 0;
  for (; count < rowsMax && !rejected; count++) {
    const answer = await insert(count % 2 === 0 ? 'First' : 'Second', count);
    if (answer.status !== 201) rejected = answer;
  }
  expect(rejected?.status).toBe(503);
  expect(rejected?.body).toContain('ServerBusy');
  expect((await client.post('/Tables', { TableName: 'Third' })).status).toBe(503);
  const id = rejected?.headers['x-ms-request-id'];
  const [, why] = await ask(`why?id=${id}`);
  expect(why).toMatchObject({
    status: 503,
    cause: 'obstacle',
    text: expect.stringContaining('The memory of this server is full'),
  });
  expect(await ask('health')).toEqual([503, { status: 'memory-full' }]);
  expect((await ask('info'))[1]).toMatchObject({ memory: { isFull: true } });
  const metrics = await (await fetch(`${server.url}/_tabularium/metrics`)).text();
  expect(metrics).toMatch(/^tabularium_store_heap_max_bytes \d{8,}$/m);

  expect((await client.get("/First(PartitionKey='p',RowKey='0')")).status).toBe(200);
  expect((await client.delete("/First(PartitionKey='p',RowKey='0')", { ifMatch: '*' })).status).toBe(204);
  expect((await client.delete("/Tables('Second')")).status).toBe(204);
  await expect.poll(() => ask('health'), { timeout: 60_000 }).toEqual([200, { status: 'ready' }]);
  expect((await insert('First', rowsMax)).status).toBe(201);
  expect((await client.get("/First(PartitionKey='p',RowKey='2')")).status).toBe(200);

  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  const warnings = readFileSync(join(folder, 'log'), 'utf8').match(/"level":40,.*The memory of this server is full/g);
  expect(warnings).toHaveLength(1);
}, 180_000);
