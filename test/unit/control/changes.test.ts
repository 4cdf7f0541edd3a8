import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import { describeService } from '../../support/servers/describe-service.js';

describeService('The changes of a server', ({ client, service, withTable }) => {
  const ask = (query = '', init?: RequestInit) => fetch(`${service().url}/_tabularium/changes${query}`, init);
  const listOf = async (query?: string) => {
    const answer = await ask(query);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { readonly last: number; readonly changes: readonly Record<string, unknown>[] };
  };
  const mark = async (name: string) => {
    const answer = await fetch(`${service().url}/_tabularium/marks`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    return (await answer.json()) as { readonly mark: string; readonly next: number; readonly seq: number };
  };
  const insert = (table: string, RowKey: string) => client.post(`/${table}`, { PartitionKey: 'p', RowKey });

  it('are listed with whose they are and the positions that are kept', async () => {
    const table = await withTable();
    const { seq } = await mark('written');
    const inserted = await insert(table, 'r');
    await client.delete(`/${table}(PartitionKey='p',RowKey='r')`, { ifMatch: '*' });
    const { changes, ...head } = await listOf('?since=written');
    const [insertion, deletion, ...others] = changes;
    expect(head).toEqual({
      scope: 'the changes that this server wrote since it started',
      first: 1,
      last: seq + 2,
    });
    expect(insertion).toMatchObject({
      seq: seq + 1,
      table,
      partitionKey: 'p',
      rowKey: 'r',
      kind: 'insert',
      etag: inserted.headers['etag'],
      requestId: inserted.headers['x-ms-request-id'],
      mark: 'written',
    });
    expect(deletion).toMatchObject({ seq: seq + 2, kind: 'delete' });
    expect(deletion).not.toHaveProperty('etag');
    expect(others).toEqual([]);
  });

  it('show keys without the secrets that programs keep in them', async () => {
    const table = await withTable();
    await mark('secrets');
    for (const key of ['a&sv=1&sig=c2VjcmV0', 'Bearer c2VjcmV0', 'user=1'])
      expect(await client.post(`/${table}`, { PartitionKey: key, RowKey: key }).then(({ status }) => status)).toBe(201);
    const { changes } = await listOf('?since=secrets');
    const shown = ['a&sv=1&sig=…', 'Bearer …', 'user=1'];
    expect(changes).toMatchObject(shown.map((key) => ({ partitionKey: key, rowKey: key })));
  });

  it('do not have what was rejected', async () => {
    const table = await withTable();
    await insert(table, 'r');
    await mark('rejected');
    expect((await insert(table, 'r')).status).toBe(409);
    expect((await listOf('?since=rejected')).changes).toEqual([]);
  });

  it('are followed as a stream', async () => {
    const table = await withTable();
    const leave = new AbortController();
    const { seq } = await mark('stream');
    const answer = await ask(`/follow?since=stream&table=${table}`, { signal: leave.signal });
    const lines = createInterface(Readable.fromWeb(answer.body as never))[Symbol.asyncIterator]();
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    await insert(table, 'r');
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ seq: seq + 1, rowKey: 'r' });
    // The stream ends with an error that is ours.
    const gone = lines.next().catch(() => {});
    leave.abort();
    await gone;
  });

  it.each([
    ['?since=never', "There is no mark 'never'."],
    ['/follow?since=never', "There is no mark 'never'."],
    ['/follow?until=1', "There is no 'until'."],
    ['?form=x', "There is no 'form'. Known: 'since', 'account', 'table', 'until'."],
  ])('reject %s', async (query, error) => {
    const answer = await ask(query);
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringContaining(error) }]);
  });

  it('after a place that the server does not have are gone', async () => {
    const answer = await ask('?since=1000000');
    expect([answer.status, await answer.json()]).toEqual([
      410,
      {
        error:
          'This server has no change 1000000; it may have restarted. The oldest change that is kept has the position 1.',
        oldest: 1,
      },
    ]);
  });
});

it('Changes that were overwritten are gone, and the answer has the oldest that is kept', async () => {
  await using server = await startTabularium();
  const { TableClient } = await import('@azure/data-tables');
  const table = TableClient.fromConnectionString(server.connectionString, 'People', { allowInsecureConnection: true });
  await table.createTable();
  const batch = (from: number) =>
    Array.from({ length: 100 }, (_, at) => ['create', { partitionKey: 'p', rowKey: String(from + at) }] as const);
  await server.mark('early');
  for (let at = 0; at < 83; at++) await table.submitTransaction([...batch(at * 100)] as never);
  const answer = await fetch(`${server.url}/_tabularium/changes?since=early`);
  expect([answer.status, await answer.json()]).toMatchObject([410, { oldest: 8300 - 8192 + 1 }]);
  await expect(server.changes.list({ since: 'early' })).rejects.toThrow('Changes after this place were overwritten.');
  expect(await server.changes.list({ since: 8298 })).toMatchObject([{ rowKey: '8298' }, { rowKey: '8299' }]);
});

it('A server without a journal has no changes', async () => {
  await using server = await startTabularium({ journal: 0 });
  expect((await fetch(`${server.url}/_tabularium/changes`)).status).toBe(404);
});

it('A client that follows the changes does not delay the stop of the server', async () => {
  const server = await startTabularium();
  const follows = await fetch(`${server.url}/_tabularium/changes/follow`);
  await server.close();
  expect(await follows.text()).toBe('');
});
