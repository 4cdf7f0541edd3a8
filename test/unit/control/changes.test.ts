import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import { describeService } from '../../support/describe-service.js';

type Line = Record<string, unknown>;

describeService('The changes of a server', ({ client, service, withTable }) => {
  const ask = (query = '', init?: RequestInit) => fetch(`${service().url}/_tabularium/changes${query}`, init);
  const linesOf = async (query?: string): Promise<Line[]> => {
    const answer = await ask(query);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    return (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
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

  it('are lines of JSON after one that says whose they are', async () => {
    const table = await withTable();
    const { seq } = await mark('written');
    const inserted = await insert(table, 'r');
    await client.delete(`/${table}(PartitionKey='p',RowKey='r')`, { ifMatch: '*' });
    const [head, insertion, deletion, ...others] = await linesOf('?since=written');
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

  it('are grouped by table if asked to', async () => {
    const [one, two] = [await withTable(), await withTable()];
    await mark('groups');
    for (const [table, row] of [
      [one, 'a'],
      [two, 'b'],
      [one, 'c'],
    ] as const)
      await insert(table, row);
    const [, ...groups] = await linesOf('?since=groups&group=table');
    expect(groups).toMatchObject([
      { account: 'devstoreaccount1', table: one, changes: [{ rowKey: 'a' }, { rowKey: 'c' }] },
      { table: two, changes: [{ rowKey: 'b' }] },
    ]);
  });

  it('show keys without the secrets that programs keep in them', async () => {
    const table = await withTable();
    await mark('secrets');
    for (const key of ['a&sv=1&sig=c2VjcmV0', 'Bearer c2VjcmV0', 'user=1'])
      expect(await client.post(`/${table}`, { PartitionKey: key, RowKey: key }).then(({ status }) => status)).toBe(201);
    const [, ...changes] = await linesOf('?since=secrets');
    const shown = ['a&sv=1&sig=…', 'Bearer …', 'user=1'];
    expect(changes).toMatchObject(shown.map((key) => ({ partitionKey: key, rowKey: key })));
  });

  it('do not have what was rejected', async () => {
    const table = await withTable();
    await insert(table, 'r');
    await mark('refused');
    expect((await insert(table, 'r')).status).toBe(409);
    expect(await linesOf('?since=refused')).toHaveLength(1);
  });

  it('are waited for', async () => {
    const table = await withTable();
    await mark('waiting');
    const waiting = linesOf(`?since=waiting&table=${table}&wait=60`);
    await insert(table, 'r');
    expect(await waiting).toMatchObject([{ first: 1 }, { rowKey: 'r' }]);
    expect(await linesOf(`?table=none&wait=0.01`)).toHaveLength(1);
  });

  it('are waited for by 16 clients at a time, and one that has left makes room at once', async () => {
    const leave = new AbortController();
    const left = Array.from({ length: 16 }, () => ask('?table=none&wait=60', { signal: leave.signal }).catch(() => {}));
    await expect.poll(async () => (await ask('?table=none&wait=0.001')).status).toBe(503);
    leave.abort();
    await Promise.all(left);
    await expect.poll(async () => (await ask('?table=none&wait=0.001')).status).toBe(200);
  });

  it('are followed as a stream', async () => {
    const table = await withTable();
    const leave = new AbortController();
    const { seq } = await mark('stream');
    const answer = await ask(`?since=stream&table=${table}&follow`, { signal: leave.signal });
    const lines = createInterface(Readable.fromWeb(answer.body as never))[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ last: seq });
    await insert(table, 'r');
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ seq: seq + 1, rowKey: 'r' });
    // The stream ends with an error that is ours.
    const gone = lines.next().catch(() => {});
    leave.abort();
    await gone;
  });

  it.each([
    ['?since=never', "There is no mark 'never'."],
    ['?group=partition', 'Changes can be grouped by table: group=table.'],
    ['?wait=61', 'wait is a number of seconds, at most 60.'],
    ['?wait=x', 'wait is a number of seconds, at most 60.'],
    ['?follow&until=1', 'A stream has no end and no groups.'],
    ['?form=x', "There is no 'form' here. Ask with: since, until, account, table, group, wait, follow."],
  ])('refuse %s', async (query, error) => {
    const answer = await ask(query);
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringContaining(error) }]);
  });

  it('after a place that the server does not have are gone', async () => {
    const answer = await ask('?since=1000000');
    expect([answer.status, await answer.json()]).toEqual([
      410,
      {
        error:
          'This server has no change 1000000. It has restarted. The oldest change that is kept has the position 1.',
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
  await expect(server.changes({ since: 'early' })).rejects.toThrow('Changes after this place were overwritten.');
  expect(await server.changes({ since: 8298 })).toMatchObject([{ rowKey: '8298' }, { rowKey: '8299' }]);
});

it('A server without a journal has no changes', async () => {
  await using server = await startTabularium({ journal: 0 });
  expect((await fetch(`${server.url}/_tabularium/changes`)).status).toBe(404);
});

it('A client that follows the changes, or waits for one, does not delay the stop of the server', async () => {
  const server = await startTabularium();
  const follows = await fetch(`${server.url}/_tabularium/changes?follow`);
  const waits = fetch(`${server.url}/_tabularium/changes?wait=60`);
  // Its request has arrived when another one that was sent later is answered.
  await fetch(`${server.url}/_tabularium/info`);
  await server.close();
  expect(JSON.parse(await follows.text())).toMatchObject({ last: 0 });
  expect(JSON.parse(await (await waits).text())).toMatchObject({ last: 0 });
});
