import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { fillRows } from '../support/bodies/fill-rows.js';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { ServiceClient } from '../support/clients/service-client.js';
import { prototypeNames } from '../support/hostile/fuzz-text.js';
import { hostileQueries } from '../support/hostile/hostile-filters.js';
import { requestsNaming, sendNaming } from '../support/hostile/hostile-names.js';
import {
  allClosed,
  floodUnread,
  garbage,
  openSockets,
  unfinishedRequests,
} from '../support/hostile/hostile-sockets.js';
import { type ChildServer, startChild } from '../support/programs/child-server.js';
import type { RunningService } from '../support/servers/start-service.js';

/** Multiplies the amount of traffic of a short run. */
const scale = Number(process.env['TABULARIUM_ATTACK_SCALE'] ?? 1);

/** Heap limit of the server. An attack that needs more ends the process, so its test fails. Unit: MiB. */
const heapMiB = 128;

/** Allowed growth of the process after an attack, including garbage that is not collected yet. Unit: MiB. */
const growthMiB = 160;

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
    await fillRows(client, service.base);
    for (let round = 0; round < 3; round++) await readWhole(client);
    calmMiB = await residentMiB(client);
  });
  afterAll(async () => {
    client?.close();
    const end = await server?.stop('SIGTERM');
    expect(end).toMatchObject({ code: 0, errors: '' });
  });

  /** Checks that the server still reads and writes, and that its memory has returned to normal. */
  async function expectCalm(): Promise<void> {
    expect((await client.get("/Rows(PartitionKey='p',RowKey='00000')")).status).toBe(200);
    expect((await client.put("/Rows(PartitionKey='q',RowKey='calm')", { A: 1 })).status).toBe(204);
    // Requests trigger garbage collections. Only a leak remains after many requests.
    let resident = await residentMiB(client);
    for (let round = 0; round < 40 && resident > calmMiB + growthMiB; round++) {
      await readWhole(client);
      resident = await residentMiB(client);
    }
    expect(resident, 'MiB of memory').toBeLessThanOrEqual(calmMiB + growthMiB);
  }

  it.each(prototypeNames)('answers requests with the name %s in every place that looks up names', async (name) => {
    for (const request of requestsNaming(name, 'Rows')) {
      expect(await sendNaming(client, request), request.place).toBeLessThan(500);
    }

    await expectCalm();
  });

  it('answers every query that is designed to be expensive', async () => {
    for (let round = 0; round < scale; round++) {
      for (const [what, path] of hostileQueries('Rows')) {
        const { status } = await client.get(path, { accept: 'application/json;odata=nometadata' });
        expect(status === 501 || status < 500, `${what}: ${status}`).toBe(true);
      }
    }

    await expectCalm();
  });

  it('answers other requests while expensive queries run', async () => {
    // Only filters that test every row. Filters on keys read no rows and end at once.
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

  it('closes connections whose requests never end', async () => {
    const requests = unfinishedRequests(service);
    const sockets = await openSockets(service, requests.length * 20 * scale);
    for (const [at, socket] of sockets.entries()) socket.write(requests[at % requests.length]?.[1] ?? '');

    expect((await client.get('/Tables?$top=1')).status).toBe(200);
    await allClosed(sockets);

    await expectCalm();
  });

  it('closes connections that send malformed HTTP', async () => {
    const sockets = await openSockets(service, garbage.length * 10 * scale);
    for (const [at, socket] of sockets.entries()) {
      socket.write(Buffer.from(garbage[at % garbage.length]?.[1] ?? '', 'latin1'));
    }
    await allClosed(sockets);

    await expectCalm();
  });

  it.each([
    ['a target with unencoded bytes', 'GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an upgrade', 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: b\r\n\r\n'],
  ])('answers thousands of requests with %s on one connection', async (_, request) => {
    const connection = await RawConnection.open(service);
    for (let sent = 0; sent < 3000 * scale; sent += 100) {
      await connection.write(Buffer.from(request.repeat(100), 'latin1'));
      for (let answers = 0; answers < 100; answers++) {
        expect(await connection.answer()).toMatchObject({ status: expect.any(Number) });
      }
    }
    connection.destroy();

    await expectCalm();
  });

  it('collects a body that arrives in chunks of one byte', async () => {
    const connection = await RawConnection.open(service);
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };

    await connection.write(signedHead(service, 'POST', '/Rows', headers));
    for (let sent = 0; sent < 1024 * scale; sent++) await connection.write('1\r\n \r\n'.repeat(1024));
    await connection.write('0\r\n\r\n');

    expect(await connection.answer()).toMatchObject({ status: 400 });
    connection.destroy();
    await expectCalm();
  });

  it('does not buffer pages for a client that sends requests without reading answers', async () => {
    const sockets = await openSockets(service, 4 * scale);
    await floodUnread(sockets, signedHead(service, 'GET', '/Rows()'), 60);
    const during = await residentMiB(client);
    for (const socket of sockets) socket.destroy();

    expect(during).toBeLessThanOrEqual(calmMiB + growthMiB + 16 * sockets.length);
    await expectCalm();
  });

  it('releases the pages of clients that disconnect without reading them', async () => {
    const sockets = await openSockets(service, 100 * scale);
    await floodUnread(sockets, signedHead(service, 'GET', '/Rows()'), 1);
    for (const socket of sockets) socket.destroy();

    await expectCalm();
  });
});

/** Reads every row once, with a filter that matches none, and one page. */
async function readWhole(client: ServiceClient): Promise<void> {
  expect((await client.get('/Rows()?$filter=A%20eq%20-1')).rows).toEqual([]);
  expect((await client.get('/Rows()')).rows).toHaveLength(1000);
}

/** Returns the resident memory of the server. Unit: MiB. */
async function residentMiB(client: ServiceClient): Promise<number> {
  const { body } = await client.get('/_tabularium/metrics', { prefix: '' });
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1]);
  expect(bytes).toBeGreaterThan(0);
  return bytes / 1024 / 1024;
}
