import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { runs } from '../../support/arbitrary/property-runs.js';
import { RawConnection, signedHead } from '../../support/clients/raw-connection.js';
import { describeService } from '../../support/servers/describe-service.js';
import type { RunningService } from '../../support/servers/start-service.js';

const table = 'pipelined';
const upgrade = { Connection: 'upgrade', Upgrade: 'h2c' };
const stranger = { Authorization: 'SharedKey stranger:AAAA' };
const entity = Buffer.from(JSON.stringify({ A: 'é'.repeat(100) }));

function get(service: RunningService, path: string, headers = {}): Buffer {
  return Buffer.from(signedHead(service, 'GET', `/${table}${path}`, headers));
}

/** Writes a request that stores an entity. Its body has a length, or is in chunks of this size. */
function put(service: RunningService, body: Buffer, headers = {}, chunkBytes?: number): Buffer {
  const framing = chunkBytes ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) };
  const type = { 'Content-Type': 'application/json' };
  const head = signedHead(service, 'PUT', `/${table}(PartitionKey='w',RowKey='w')`, {
    ...type,
    ...framing,
    ...headers,
  });
  return Buffer.concat([Buffer.from(head), ...(chunkBytes ? chunksOf(body, chunkBytes) : [body])]);
}

function chunksOf(body: Buffer, bytes: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += bytes) {
    const piece = body.subarray(at, at + bytes);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return [...pieces, Buffer.from('0\r\nTrailer: x\r\n\r\n')];
}

const point = "(PartitionKey='p',RowKey='1')";
const longBody = Buffer.concat([entity.subarray(0, -1), Buffer.alloc(200_000, ' '), entity.subarray(-1)]);

/** Requests that the server finishes reading in different ways, each with the status of its answer. */
const requests: Readonly<Record<string, readonly [status: number, write: (service: RunningService) => Buffer]>> = {
  'a point read': [200, (service) => get(service, point)],
  'a long page': [200, (service) => get(service, "?$filter=PartitionKey%20eq%20'p'")],
  'a read of what is not there': [404, (service) => get(service, "(PartitionKey='p',RowKey='none')")],
  'a read with a body': [
    200,
    (service) => Buffer.concat([get(service, point, { 'Content-Length': '5' }), entity.subarray(0, 5)]),
  ],
  'a read of a stranger': [403, (service) => get(service, point, stranger)],
  'a read with an upgrade': [200, (service) => get(service, point, upgrade)],
  'a write': [204, (service) => put(service, entity)],
  'a write of a stranger': [403, (service) => put(service, entity, stranger)],
  'a write of a stranger in chunks': [403, (service) => put(service, entity, stranger, 16)],
  'a write in tiny chunks': [204, (service) => put(service, entity, {}, 1)],
  'a write with an upgrade': [204, (service) => put(service, entity, upgrade)],
  'a write in chunks with an upgrade': [204, (service) => put(service, entity, upgrade, 50)],
  'a long write': [204, (service) => put(service, longBody)],
};

describeService('Requests that are sent without waiting for answers', ({ client, service }) => {
  beforeAll(async () => {
    await client.post('/Tables', { TableName: table });
    for (let row = 0; row < 20; row++) {
      await client.put(`/${table}(PartitionKey='p',RowKey='${row}')`, { A: 'x'.repeat(30_000) });
    }
  });

  it('are all answered in order, however they are cut and whenever their client reads', {
    timeout: 60_000,
  }, async () => {
    const sent = fc.array(fc.constantFrom(...Object.keys(requests)), { minLength: 4, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(
        sent,
        fc.integer({ min: 5000, max: 400_000 }),
        fc.boolean(),
        async (names, cutBytes, readsLate) => {
          const connection = await RawConnection.open(service());
          if (readsLate) connection.pause();
          const text = Buffer.concat(names.map((name) => requests[name]?.[1](service()) ?? entity));
          for (let at = 0; at < text.length; at += cutBytes) {
            const written = connection.write(text.subarray(at, at + cutBytes));
            // What is not read may not be taken either, but the server gets time to answer.
            await (readsLate ? client.get('/Tables?$top=1') : written);
          }
          connection.resume();
          for (const name of names) expect((await connection.answer())?.status, name).toBe(requests[name]?.[0]);
          connection.destroy();
        },
      ),
      { numRuns: runs(20) },
    );
  });
});
