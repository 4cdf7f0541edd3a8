import { expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import type { LogEntry } from '../../../src/insight/journal/log-entry.js';
import { batchTools, insert } from '../../support/bodies/batch-tools.js';
import { describeService } from '../../support/servers/describe-service.js';
import { accountAccess, signAccess } from '../../support/signatures/sign-access.js';

describeService('The journal of a server', ({ client, service, withTable }) => {
  const { sendChangeSet } = batchTools({ client, service });
  const ask = (path: string, init?: RequestInit) => fetch(`${service().url}/_tabularium${path}`, init);
  const entriesOf = async (query = '') => {
    const answer = (await (await ask(`/requests${query}`)).json()) as { requests: LogEntry[] };
    return answer.requests;
  };

  it('has each request with its operation, status, class and id', async () => {
    const table = await withTable();
    for (const RowKey of ['a', 'r', 'z']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });
    const answer = await client.get(`/${table}?$filter=RowKey%20eq%20'r'`);

    const [entry] = await entriesOf('?limit=1');
    expect(entry).toMatchObject({
      OperationName: 'QueryEntities',
      StatusCode: '200',
      ObjectKey: `/devstoreaccount1/${table}`,
      Class: 'table-scan',
      Rule: 'table-scan/rowkey-only',
      EntitiesRead: 3,
      EntitiesReturned: 1,
      CorrelationId: answer.headers['x-ms-request-id'],
      ResponseBodySize: answer.body.length,
    });
  });

  it('says that a response has more pages', async () => {
    const table = await withTable();
    for (const RowKey of ['a', 'b']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });
    await client.get(`/${table}?$top=1`);
    expect((await entriesOf('?limit=1'))[0]).toMatchObject({ EntitiesReturned: 1, Continues: true });
  });

  it('has one request by its id, and a command line that sends it again', async () => {
    const table = await withTable();
    const id = (await client.get(`/${table}`)).headers['x-ms-request-id'];

    expect(await (await ask(`/requests/${id}`)).json()).toEqual({
      request: expect.objectContaining({ CorrelationId: id, StatusText: 'Success' }),
      changes: [],
      url: expect.stringMatching(`/devstoreaccount1/${table}$`),
      curl: expect.stringContaining(`/devstoreaccount1/${table}'"?$SAS"`),
    });
    const missing = await ask('/requests/no-such-id');
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { error: 'The journal has no request no-such-id. It keeps the last 4096 requests of this server.' },
    ]);
  });

  it('has the rejected ones, also a transaction that was answered with 202', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'a' });
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'a' });
    await client.get(`/${table}?$filter=Size%20gt`);
    await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'a' })]);

    const rejected = await entriesOf(`?status=rejected&table=${table}`);
    expect(rejected.map(({ StatusCode, StatusText }) => [StatusCode, StatusText])).toEqual([
      ['409', 'EntityAlreadyExists'],
      ['400', 'InvalidInput'],
      ['202', 'EntityAlreadyExists'],
    ]);
  });

  it.each(['%zz', '%', 'a%2', '%ff'])('has no request %s, which is not an id', async (id) => {
    expect((await ask(`/why?id=${id}`)).status).toBe(404);
  });

  it('keeps a bounded part of the values that were rejected', async () => {
    const table = await withTable();
    const PartitionKey = `/${'x'.repeat(500_000)}`;
    const rejected = await client.post(`/${table}`, { PartitionKey, RowKey: 'r' });
    expect(rejected.status).toBe(400);

    const why = await (await ask(`/why?id=${rejected.headers['x-ms-request-id']}`)).text();
    expect(why).toContain('key-character');
    expect(why.length).toBeLessThan(10_000);
  });

  it('says whose requests it has', async () => {
    expect(await (await ask('/requests?limit=0')).json()).toMatchObject({
      scope: 'the requests of this server since it started',
      capacity: 4096,
      requests: [],
    });
  });

  it('rejects a selector that does not exist, and lists those that do', async () => {
    const answer = await ask('/requests?state=404');
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(/^There is no 'state'\. Did you mean '/) },
    ]);
  });

  it.each([
    ['status=5', "'status' must be a status, such as 404, a kind of status, such as 4xx, or rejected; got '5'."],
    ['status=abc', "'status' must be a status, such as 404, a kind of status, such as 4xx, or rejected; got 'abc'."],
    ['class=scan', expect.stringMatching(/^'class' must be one of: none, point, .*; got 'scan'\.$/)],
    ['limit=-1', "'limit' must be at least 0; got -1."],
    ['after=x', "'after' must be a number; got 'x'."],
  ])('rejects the selection %s', async (query, error) => {
    const answer = await ask(`/requests?${query}`);
    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  });

  it('takes marks', async () => {
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    expect((await ask('/marks', { ...json, body: '{"name":"my test"}' })).status).toBe(200);
    await client.get('/Tables');
    expect((await entriesOf('?mark=my%20test')).at(-1)).toMatchObject({
      OperationName: 'QueryTables',
      Mark: 'my test',
    });
    expect((await ask('/marks', { ...json, body: '{"name":1}' })).status).toBe(400);
    expect((await ask('/marks', { ...json, body: 'x' })).status).toBe(400);
    expect((await ask('/marks', { ...json, headers: {}, body: '{"name":"x"}' })).status).toBe(415);
  });

  it('takes no mark longer than a command may be, in chunks neither', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from(`{"name":"${'x'.repeat(100_000)}"}`));
        controller.close();
      },
    });
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    expect((await ask('/marks', init)).status).toBe(413);
  });

  it('is followed by at most 16 clients in all, together with the changes', async () => {
    const leave = new AbortController();
    const follow = (_: unknown, at: number) =>
      ask(at % 2 === 0 ? '/requests/follow' : '/changes/follow', { signal: leave.signal });
    const statuses = (await Promise.all(Array.from({ length: 18 }, follow))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(16);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    leave.abort();
  });

  it('is followed as a stream', async () => {
    const leave = new AbortController();
    const { next } = (await (await ask('/requests?limit=0')).json()) as { next: number };
    const answer = await ask(`/requests/follow?after=${next - 1}`, { signal: leave.signal });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    await client.get('/Tables');

    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(JSON.parse(Buffer.from(value ?? []).toString())).toMatchObject({ Seq: next, OperationName: 'QueryTables' });
    leave.abort();
  });

  it('contains no signature and no key in any form', async () => {
    const [key = ''] = service().account.keys;
    const signed = signAccess(accountAccess());
    const signature = decodeURIComponent(/sig=([^&]*)/.exec(signed)?.[1] ?? '');
    const sent = await client.get('/Tables');
    for (const name of ['sig', '%73ig', 's%2569g']) {
      await client.get(`/Tables?${signed.replace('sig', name)}`, { auth: 'none' });
    }
    // Clients that encode too much put the signature into the path, or into another parameter.
    for (const path of [
      `/People${encodeURIComponent('?')}${signed}`,
      `/People(PartitionKey='p',RowKey='${encodeURIComponent(`r?${signed}`)}')`,
      `/People(PartitionKey='p',RowKey='${encodeURIComponent(`r&sig=${signature.replaceAll('/', '')}`)}')`,
      `/People?$select=${encodeURIComponent(signed)}`,
      `/Tables?${signed.replace('&sig=', '%26sig=')}&sig=x`,
    ]) {
      await client.get(path);
      await client.get(path, { auth: 'none' });
    }
    const { authorization = '' } = sent.sent;

    const list = await (await ask('/requests')).text();
    const curls = (await entriesOf()).flatMap(({ CorrelationId }) =>
      [`/requests/${CorrelationId}`, `/why?id=${CorrelationId}`].map(async (path) => (await ask(path)).text()),
    );
    const output = (await Promise.all([list, ...curls])).join('\n');
    expect(signature.length).toBeGreaterThan(40);
    for (const secret of [key, signature, signature.replaceAll('/', ''), authorization.split(':').at(-1) ?? '']) {
      for (const form of [secret, encodeURIComponent(secret), encodeURIComponent(encodeURIComponent(secret))]) {
        expect(output).not.toContain(form);
      }
    }
  });
});

it('A server without a journal has no endpoints for it', async () => {
  await using server = await startTabularium({ journal: 0 });
  for (const path of ['requests', 'requests/x']) {
    expect((await fetch(`${server.url}/_tabularium/${path}`)).status).toBe(404);
  }
});

it('A client that follows the journal does not delay the stop of the server', async () => {
  const server = await startTabularium();
  const answer = await fetch(`${server.url}/_tabularium/requests/follow`);
  await server.close();
  expect(await answer.text()).toBe('');
});
