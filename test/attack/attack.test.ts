import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/accounts.js';
import { batchBoundary, insert, writeChangeSet } from '../support/batch-tools.js';
import { type ChildServer, startChild } from '../support/child-server.js';
import { prototypeNames } from '../support/fuzz-text.js';
import { hostileQueries } from '../support/hostile-filters.js';
import { requestsNaming, sendNaming } from '../support/hostile-names.js';
import { allClosed, floodUnread, garbage, openSockets, unfinishedRequests } from '../support/hostile-sockets.js';
import { signedHead } from '../support/raw-connection.js';
import { ServiceClient } from '../support/service-client.js';
import type { RunningService } from '../support/start-service.js';

/** How many times as much is sent as in a short run. */
const scale = Number(process.env['TABULARIUM_ATTACK_SCALE'] ?? 1);

/** The heap of the server: an attack that takes more ends the process, and so fails. Unit: MiB. */
const heapMiB = 128;

/** What the process may have grown by when an attack is over, garbage that is not yet collected included. Unit: MiB. */
const growthMiB = 160;

const rows = 8_000;

describe('A server under attack', () => {
  let server: ChildServer;
  let service: RunningService;
  let client: ServiceClient;
  let calmMiB: number;

  beforeAll(async () => {
    const limits = ['--tableHeadersTimeout', '2', '--tableBodyTimeout', '2', '--tableKeepAliveTimeout', '2'];
    server = await startChild({ flags: limits, node: [`--max-old-space-size=${heapMiB}`] });
    service = {
      url: server.url,
      base: `${server.url}/${developmentAccount.name}`,
      account: developmentAccount,
      takeLoggedErrors: () => [],
      close: async () => {},
    };
    client = new ServiceClient(() => service);
    await fillTable(client, service.base);
    for (let round = 0; round < 3; round++) await readWhole(client);
    calmMiB = await residentMiB(client);
  });
  afterAll(async () => {
    client?.close();
    const end = await server?.stop('SIGTERM');
    expect(end).toMatchObject({ code: 0, errors: '' });
  });

  /** Serves as before: reads, writes, and its memory is back. */
  async function expectCalm(): Promise<void> {
    expect((await client.get("/Rows(PartitionKey='p',RowKey='00000')")).status).toBe(200);
    expect((await client.put("/Rows(PartitionKey='q',RowKey='calm')", { A: 1 })).status).toBe(204);
    // A collection of garbage comes with work; a leak stays however much work there is.
    let resident = await residentMiB(client);
    for (let round = 0; round < 40 && resident > calmMiB + growthMiB; round++) {
      await readWhole(client);
      resident = await residentMiB(client);
    }
    expect(resident, 'MiB of memory').toBeLessThanOrEqual(calmMiB + growthMiB);
  }

  it.each(prototypeNames)('answers the name %s wherever it looks a name up', async (name) => {
    for (const request of requestsNaming(name, 'Rows')) {
      expect(await sendNaming(client, request), request.place).toBeLessThan(500);
    }

    await expectCalm();
  });

  it('answers every query that is made to be expensive', { timeout: 120_000 }, async () => {
    for (let round = 0; round < scale; round++) {
      for (const [what, path] of hostileQueries('Rows')) {
        const { status } = await client.get(path, { accept: 'application/json;odata=nometadata' });
        expect(status === 501 || status < 500, `${what}: ${status}`).toBe(true);
      }
    }

    await expectCalm();
  });

  it('answers others while expensive queries run', { timeout: 120_000 }, async () => {
    // Filters that every row is tested with; those on keys find nothing to read, and so end at once.
    const paths = hostileQueries('Rows').slice(0, 2);
    const order: string[] = [];
    const expensive = paths.map(async ([what, path]) => {
      await client.get(path, { accept: 'application/json;odata=nometadata' });
      order.push(what);
    });
    await client.get("/Rows(PartitionKey='p',RowKey='00000')");
    order.push('a point');
    await Promise.allSettled(expensive);

    expect(order[0]).toBe('a point');
    await expectCalm();
  });

  it('closes connections whose requests never end', { timeout: 60_000 }, async () => {
    const requests = unfinishedRequests(service);
    const sockets = await openSockets(service, requests.length * 20 * scale);
    for (const [at, socket] of sockets.entries()) socket.write(requests[at % requests.length]?.[1] ?? '');

    expect((await client.get('/Tables?$top=1')).status).toBe(200);
    await allClosed(sockets);

    await expectCalm();
  });

  it('closes connections that speak no HTTP', { timeout: 60_000 }, async () => {
    const sockets = await openSockets(service, garbage.length * 10 * scale);
    for (const [at, socket] of sockets.entries()) {
      socket.write(Buffer.from(garbage[at % garbage.length]?.[1] ?? '', 'latin1'));
    }
    await allClosed(sockets);

    await expectCalm();
  });

  it('holds no pages for a client that sends requests and reads no answers', { timeout: 60_000 }, async () => {
    const sockets = await openSockets(service, 4 * scale);
    await floodUnread(sockets, signedHead(service, 'GET', '/Rows()'), 60);
    const during = await residentMiB(client);
    for (const socket of sockets) socket.destroy();

    expect(during).toBeLessThanOrEqual(calmMiB + growthMiB + 16 * sockets.length);
    await expectCalm();
  });

  it('lets the pages of clients go that leave without reading them', { timeout: 120_000 }, async () => {
    const sockets = await openSockets(service, 100 * scale);
    await floodUnread(sockets, signedHead(service, 'GET', '/Rows()'), 1);
    for (const socket of sockets) socket.destroy();

    await expectCalm();
  });
});

/** Eight thousand rows, so that a page of a thousand takes more than the system keeps for a reader. */
async function fillTable(client: ServiceClient, base: string): Promise<void> {
  expect((await client.post('/Tables', { TableName: 'Rows' })).status).toBe(201);
  const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
  for (let first = 0; first < rows; first += 100) {
    const parts = Array.from({ length: 100 }, (_, at) => {
      const RowKey = String(first + at).padStart(5, '0');
      return insert('Rows', { PartitionKey: 'p', RowKey, A: at, Text: 'x'.repeat(500) });
    });
    const body = writeChangeSet(parts.map((part) => ({ ...part, url: `${base}${part.url}` })));
    expect((await client.post('/$batch', body, { headers })).status).toBe(202);
  }
}

/** Reads every row once, by a filter that finds none, and one page. */
async function readWhole(client: ServiceClient): Promise<void> {
  expect((await client.get('/Rows()?$filter=A%20eq%20-1')).rows).toEqual([]);
  expect((await client.get('/Rows()')).rows).toHaveLength(1000);
}

/** What the process of the server holds. Unit: MiB. */
async function residentMiB(client: ServiceClient): Promise<number> {
  const { body } = await client.get('/_tabularium/metrics', { prefix: '' });
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1]);
  expect(bytes).toBeGreaterThan(0);
  return bytes / 1024 / 1024;
}
