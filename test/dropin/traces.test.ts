import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eachInFolder, startChild } from '../support/programs/child-server.js';
import { freePort } from '../support/programs/free-port.mjs';
import { startCollector } from '../support/servers/collector-stand-in.js';

let folder: string;
eachInFolder((made) => {
  folder = made;
});
let collector: Awaited<ReturnType<typeof startCollector>>;
afterEach(() => collector.close());

const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const ofClient = { headers: { traceparent: `00-${traceId}-${parentId}-01` } };

/** Starts a server that sends its traces to the collector. */
async function startTraced(variables: Readonly<Record<string, string>> = {}) {
  return startChild({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables } });
}

describe('A server with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('sends a server span for each request: the child of the span of the SDK', async () => {
    collector = await startCollector();
    const server = await startTraced({
      OTEL_SERVICE_NAME: 'storage',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-otlp-api-key=secret',
    });
    const client = server.client();
    await client.post('/Tables', { TableName: 'Fruit' });
    await client.post('/Fruit', { PartitionKey: 'p', RowKey: 'r' });
    const answer = await client.get("/Fruit()?$filter=RowKey%20eq%20'r'", ofClient);
    expect((await server.stop('SIGTERM')).code).toBe(0);

    expect(collector.headers[0]).toMatchObject({ 'x-otlp-api-key': 'secret' });
    expect(collector.spans.map(({ name }) => name)).toEqual(['POST /Tables', 'POST /{table}', 'GET /{table}']);
    const [first, , query] = collector.spans;
    expect(first?.parentSpanId).toBeFalsy();
    expect(query).toMatchObject({ kind: 2, traceId, parentSpanId: parentId, status: {} });
    expect(BigInt(query?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(query?.startTimeUnixNano ?? 0));
    expect(query?.resource).toMatchObject({ 'service.name': 'storage' });
    expect(query?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/{table}',
      'url.scheme': 'http',
      'url.path': '/devstoreaccount1/Fruit()',
      'url.query': "$filter=RowKey%20eq%20'r'",
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
      'azure.resource_provider.namespace': 'Microsoft.Storage',
      'azure.service.request.id': answer.headers['x-ms-request-id'],
      'tabularium.operation': 'Query Entities',
      'tabularium.query.class': 'table-scan',
      'tabularium.entities.read': 1,
      'tabularium.entities.returned': 1,
    });
    expect(query?.attributes).not.toHaveProperty('error.type');
  });

  it('says in the span of a rejected request why it was rejected, and with which error code', async () => {
    collector = await startCollector();
    const server = await startTraced();
    await server.client().get("/Tables('None')", ofClient);
    await fetch(`${server.url}/devstoreaccount1/Fruit?sig=bm90IGEgc2lnbmF0dXJl`);
    await server.stop('SIGTERM');

    const [missing, unsigned] = collector.spans;
    expect(missing?.attributes).toMatchObject({ 'error.type': 'ResourceNotFound', 'http.response.status_code': 404 });
    expect(missing?.attributes['tabularium.why']).toMatch(/^No such entity/);
    // A rejected request is an error of the client, not of the server.
    expect(missing?.status.code ?? 0).toBe(0);
    expect(unsigned?.attributes['error.type']).toBe('AuthenticationFailed');
    expect(JSON.stringify(collector.spans)).not.toContain('bm90IGEg');
  });

  it('omits the spans that the client does not sample', async () => {
    collector = await startCollector();
    const server = await startTraced();
    await server.client().get('/Tables', { headers: { traceparent: `00-${traceId}-${parentId}-00` } });
    await server.stop('SIGTERM');
    expect(collector.spans).toEqual([]);
  });

  it('logs in one line that no collector answers', async () => {
    collector = await startCollector();
    const server = await startChild({
      flags: ['--debug', join(folder, 'log')],
      variables: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
        ...{ OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '100' },
      },
    });
    expect((await server.client().get('/Tables')).status).toBe(200);
    const logged = () => readFileSync(join(folder, 'log'), 'utf8');
    await expect.poll(logged).toContain('traces could not be sent');
    await server.stop('SIGTERM');
    expect(logged()).toMatch(/"msg":"traces could not be sent: [^"]+"/);
    expect(logged()).not.toContain('"stack"');
  });

  it('logs that the collector rejects the spans, and serves on', async () => {
    collector = await startCollector(400);
    const server = await startChild({
      flags: ['--debug', join(folder, 'log')],
      variables: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' },
    });
    const client = server.client();
    expect((await client.get('/Tables')).status).toBe(200);
    await expect.poll(() => collector.headers.length).toBeGreaterThan(0);
    expect((await client.get('/Tables')).status).toBe(200);
    expect((await server.stop('SIGTERM')).code).toBe(0);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('traces could not be sent');
  });
});
