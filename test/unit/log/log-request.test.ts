import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { batchBoundary, insert, writeChangeSet } from '../../support/bodies/batch-tools.js';
import { ServiceClient } from '../../support/clients/service-client.js';

describe('The log of a request', () => {
  const getMissing = (client: ServiceClient) =>
    client.get('/Nope', { headers: { 'x-ms-client-request-id': 'mine', cookie: 'secret' } });

  /** Returns the log lines of a server at this level for one request, and the request id. */
  async function logAt(
    level: string,
    send = getMissing,
  ): Promise<{ lines: Record<string, unknown>[]; id: string | undefined }> {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const server = await startServer({ ...defaultConfig, port: 0, inMemory: true }, logger);
    const service = {
      url: server.url,
      base: `${server.url}/devstoreaccount1`,
      account: developmentAccount,
      takeLoggedErrors: () => [],
      reset: () => Promise.resolve(),
      close: () => server.close(),
    };
    const client = new ServiceClient(() => service);
    try {
      const answer = await send(client);
      return { lines, id: answer.headers['x-ms-request-id'] };
    } finally {
      client.close();
      await server.close();
    }
  }

  it('has the beginning of a very long target', async () => {
    const { lines } = await logAt('info', (client) => client.get(`/Nope?$filter=${'x'.repeat(20_000)}&sig=secret`));
    const { path } = lines.find(({ msg }) => msg === 'request') ?? {};
    expect(path).toMatch(/^\/devstoreaccount1\/Nope\?\$filter=x+…$/);
    expect(String(path).length).toBeLessThan(2100);
  });

  it('is one line with the request id, the method, the path, the operation and the error', async () => {
    const { lines, id } = await logAt('info');

    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        msg: 'request',
        requestId: id,
        method: 'GET',
        path: '/devstoreaccount1/Nope',
        operation: 'Query Entities',
        status: 404,
        error: 'TableNotFound',
        ms: expect.any(Number),
      },
    ]);
  });

  it('has the operation and the error of a transaction that failed', async () => {
    const { lines } = await logAt('info', (client) =>
      client.post('/$batch', writeChangeSet([insert('Nope', { PartitionKey: 'p', RowKey: 'r' })]), {
        headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
      }),
    );

    expect(lines).toMatchObject([
      {
        operation: 'Entity Group Transaction',
        status: 202,
        failedOperation: 'Insert Entity',
        error: 'TableNotFound',
      },
    ]);
  });

  it('contains the headers without secrets at level debug', async () => {
    const { lines, id } = await logAt('debug');
    const headers = lines.find(({ msg }) => msg === 'headers');

    expect(headers).toMatchObject({
      requestId: id,
      scheme: 'SharedKey',
      headers: { 'x-ms-client-request-id': 'mine' },
    });
    expect(JSON.stringify(lines)).not.toMatch(/secret|SharedKey /);
  });
});
