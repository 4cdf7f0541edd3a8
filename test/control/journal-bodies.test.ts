import { afterEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { ServiceClient } from '../support/clients/service-client.js';
import type { RunningService } from '../support/servers/start-service.js';

describe('A server that keeps bodies', () => {
  let server: Tabularium;
  const start = async (journalBodies: boolean) => {
    server = await startTabularium({ journalBodies });
    const service = { url: server.url, base: server.endpoint(), account: developmentAccount } as RunningService;
    return new ServiceClient(() => service);
  };
  afterEach(() => server.close());
  const ask = async (path: string) => (await fetch(`${server.url}/_tabularium/requests${path}`)).json();

  it('shows those of one request, but not in a list', async () => {
    const client = await start(true);
    await client.post('/Tables', { TableName: 'People' });
    const sent = { PartitionKey: 'p', RowKey: 'r', Name: 'Ü' };
    const answer = await client.post('/People', sent);
    const rejected = await client.post('/People', sent);

    expect(await ask(`/${answer.headers['x-ms-request-id']}`)).toMatchObject({
      requestBody: JSON.stringify(sent),
      responseBody: answer.body,
    });
    expect(await ask(`/${rejected.headers['x-ms-request-id']}`)).toMatchObject({ responseBody: rejected.body });
    const { requests } = (await ask('?limit=1')) as { requests: object[] };
    expect(Object.keys(requests[0] ?? {})).not.toContain('requestBody');
    client.close();
  });

  it('shows the headers of one request and its response, without the signature', async () => {
    const client = await start(true);
    const answer = await client.post('/Tables', { TableName: 'Headed' }, { headers: { Prefer: 'return-content' } });
    const shown = await ask(`/${answer.headers['x-ms-request-id']}`);
    expect(shown).toMatchObject({
      requestHeaders: expect.arrayContaining([
        { name: 'authorization', value: '…' },
        { name: 'prefer', value: 'return-content' },
      ]),
      responseHeaders: expect.arrayContaining([
        { name: 'x-ms-request-id', value: answer.headers['x-ms-request-id'] },
        { name: 'Date', value: answer.headers['date'] },
      ]),
      curl: expect.stringContaining(`--header 'prefer: return-content'`),
    });
    expect(JSON.stringify(shown)).not.toContain('SharedKey');
    client.close();
  });

  it('shows the beginning of a long page and of a transaction', async () => {
    const client = await start(true);
    await client.post('/Tables', { TableName: 'People' });
    const parts = Array.from({ length: 100 }, (_, at) =>
      insert('People', { PartitionKey: 'p', RowKey: String(at).padStart(3, '0'), Text: 'x'.repeat(2000) }),
    );
    const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    const body = writeChangeSet(parts);
    const transaction = await client.post('/$batch', body, { headers });
    expect(await ask(`/${transaction.headers['x-ms-request-id']}`)).toMatchObject({
      requestBody: body.slice(0, 16 * 1024),
      // Where it was cut, a word may be the beginning of a secret.
      responseBody: transaction.body.slice(0, 16 * 1024).replace(/[\w+/-]+$/, '…'),
    });
    const page = await client.get('/People');
    expect(await ask(`/${page.headers['x-ms-request-id']}`)).toMatchObject({
      responseBody: page.body.slice(0, 16 * 1024),
    });
    client.close();
  });

  it('keeps none by default', async () => {
    const client = await start(false);
    const answer = await client.post('/Tables', { TableName: 'People' });
    const entry = await ask(`/${answer.headers['x-ms-request-id']}`);
    expect(entry).toMatchObject({ request: { OperationName: 'CreateTable' } });
    expect(Object.keys(entry as object)).toEqual(['request', 'changes', 'url', 'curl']);
    client.close();
  });
});
