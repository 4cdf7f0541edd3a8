import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import { describeService } from '../../support/servers/describe-service.js';

type Line = Readonly<Record<string, unknown>>;

/** Follows a server until the returned function is called. */
async function follow(url: string, query = '') {
  const leave = new AbortController();
  const answer = await fetch(`${url}/_tabularium/live${query}`, { signal: leave.signal });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = createInterface(Readable.fromWeb(answer.body as never))[Symbol.asyncIterator]();
  return {
    /** Returns the next line that has one of these fields. */
    async next(...names: readonly string[]): Promise<Line> {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error('The stream has ended.');
        const line = JSON.parse(value) as Line;
        if (names.some((name) => name in line)) return line;
      }
    },
    async stop() {
      // The stream ends with an error that is ours.
      const gone = lines.next().catch(() => {});
      leave.abort();
      await gone;
    },
  };
}

describeService('What happens on a server', ({ client, service, withTable }) => {
  const send = (method: string, path: string, body: object = {}) =>
    fetch(`${service().url}/_tabularium${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(method !== 'DELETE' && { body: JSON.stringify(body) }),
    });

  it('is one stream of requests, changes and tables, from now on', async () => {
    const early = await withTable();
    await client.post(`/${early}`, { PartitionKey: 'p', RowKey: 'early' });
    const live = await follow(service().url);
    expect(await live.next('position', 'request', 'change', 'event')).toMatchObject({
      position: expect.stringMatching(/^\w+-\d+-\d+-\d+$/),
      ...{ journal: true, faults: [], clock: { frozen: false } },
    });
    const table = await withTable();
    expect(await live.next('event')).toMatchObject({ event: { kind: 'table-created', table } });
    expect(await live.next('request')).toMatchObject({ request: { OperationName: 'CreateTable' } });
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });
    expect(await live.next('change')).toMatchObject({ change: { table, rowKey: 'r', kind: 'insert', isNew: true } });
    await client.delete(`/Tables('${table}')`);
    expect(await live.next('event')).toMatchObject({ event: { kind: 'table-deleted', table } });
    await live.stop();
  });

  it('continues from now on where a position is cut off', async () => {
    const first = await follow(service().url);
    const { position } = (await first.next('position')) as { readonly position: string };
    await first.stop();
    const live = await follow(service().url, `?since=${position.split('-').slice(0, 2).join('-')}`);
    expect(await live.next('position')).toMatchObject({ position: expect.stringMatching(/^\w+-\d+-\d+-\d+$/) });
    await live.stop();
  });

  it('marks the requests of the page', async () => {
    const table = await withTable();
    const live = await follow(service().url, '?since=now');
    await live.next('position');
    await client.get(`/${table}`, { headers: { 'x-tabularium-client': 'explorer' } });
    expect(await live.next('request')).toMatchObject({ request: { Explorer: true } });
    await live.stop();
  });

  it('says whether a merge has created its entity, and leaves it open where nobody looked', async () => {
    const table = await withTable();
    const live = await follow(service().url);
    await live.next('position');
    const path = `/${table}(PartitionKey='p',RowKey='r')`;
    await client.merge(path, { A: 1 });
    expect(await live.next('change')).toMatchObject({ change: { kind: 'merge', isNew: true } });
    await client.merge(path, { A: 2 });
    expect(await live.next('change')).toMatchObject({ change: { kind: 'merge', isNew: false } });
    await client.put(path, { A: 3 });
    expect((await live.next('change'))['change']).not.toHaveProperty('isNew');
    await live.stop();
  });

  it('continues after a position, and has everything since', async () => {
    const table = await withTable();
    const first = await follow(service().url);
    const { position } = await first.next('position');
    await first.stop();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'missed' });
    const second = await follow(service().url, `?since=${position}`);
    expect(await second.next('change')).toMatchObject({ change: { rowKey: 'missed' } });
    await second.stop();
  });

  it('has what happens to the state', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });
    const live = await follow(service().url);
    await live.next('position');
    const kinds: unknown[] = [];
    const told = async (count = 1) => {
      for (let at = 0; at < count; at++) {
        const { event } = (await live.next('event')) as { readonly event: { readonly kind: string } };
        kinds.push(event.kind);
      }
    };
    await send('PUT', '/snapshots/base');
    await told();
    await send('POST', '/entities/delete', { table, filter: "PartitionKey eq 'p'" });
    await told();
    await send('POST', '/reset', { table });
    await told();
    await send('POST', '/undo');
    await told();
    await send('POST', '/snapshots/base/restore');
    await told();
    const { account } = (await (await send('POST', '/branches', { from: 'base' })).json()) as { account: string };
    await told();
    await send('DELETE', `/branches/${account}`);
    await told();
    await send('DELETE', '/snapshots/base');
    await told();
    await fetch(`${service().url}/_tabularium/import?table=${table}&format=csv`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: 'PartitionKey,RowKey\np,imported\n',
    }).then((answer) => answer.text());
    await told();
    expect(kinds).toEqual([
      ...['snapshot-created', 'entities-deleted', 'reset', 'undone', 'restored'],
      ...['branch-created', 'branch-ended', 'snapshot-deleted', 'imported'],
    ]);
    await live.stop();
  });

  it.each([
    ['?since=yesterday', 400, "'since' must be `now` or the position of a heartbeat"],
    ['?since=other-1-1-1', 410, 'The server has restarted since this position.'],
    ['?table=x', 400, "There is no 'table'."],
  ])('rejects %s', async (query, status, error) => {
    const answer = await fetch(`${service().url}/_tabularium/live${query}`);
    expect([answer.status, await answer.json()]).toEqual([
      status,
      expect.objectContaining({ error: expect.stringContaining(error) }),
    ]);
  });
});

it('Without a journal, the stream still has tables and states', async () => {
  await using server = await startTabularium({ journal: 0 });
  const live = await follow(server.url);
  expect(await live.next('position')).toMatchObject({ journal: false });
  await server.snapshots.create('base');
  expect(await live.next('event')).toMatchObject({ event: { kind: 'snapshot-created' } });
  await live.stop();
});

it.each([{ journal: 0 }, {}])('With %j, 16 clients may follow, each counted once', async (options) => {
  await using server = await startTabularium(options);
  const all = await Promise.all(Array.from({ length: 16 }, () => follow(server.url)));
  const answer = await fetch(`${server.url}/_tabularium/live`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('16 clients follow')]);
  for (const one of all) await one.stop();
});

it.each([{ journal: 0 }, {}])(
  'With %j, a client that follows does not delay the stop of the server',
  async (options) => {
    const server = await startTabularium(options);
    const follows = await fetch(`${server.url}/_tabularium/live`);
    await server.close();
    expect(await follows.text()).toContain('"position"');
  },
);
