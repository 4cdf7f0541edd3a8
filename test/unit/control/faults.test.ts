import { afterEach, expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('The fault rules of a server', ({ client, service, withTable, withEntity }) => {
  const ask = async (method: string, path = '', body: unknown = {}) => {
    const answer = await fetch(
      `${service().url}/_tabularium${path.startsWith('/requests') || path.startsWith('/why') ? path : `/faults${path}`}`,
      {
        method,
        ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      },
    );
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const faults = async () => (await ask('GET')).body['faults'] as { id: string; hits: number; ended: boolean }[];
  afterEach(() => ask('POST', '/clear'));

  it('are added, listed with their hits after they have ended, and removed', async () => {
    const { path } = await withEntity();
    expect((await ask('POST', '', { rules: { id: 'busy', fault: 'ServerBusy', times: 1 } })).status).toBe(200);
    expect((await client.get(path)).status).toBe(503);
    expect((await client.get(path)).status).toBe(200);
    expect(await faults()).toMatchObject([{ id: 'busy', matched: 1, hits: 1, ended: true }]);
    expect(await ask('DELETE', '/busy')).toEqual({ status: 200, body: {} });
    expect(await ask('DELETE', '/busy')).toEqual({ status: 404, body: { error: 'There is no fault rule busy.' } });
  });

  it('are all replaced by a list, or none', async () => {
    await ask('POST', '', { rules: [{ fault: 'ServerBusy' }, { id: 'two', fault: 'InternalError' }] });
    expect(
      (await ask('POST', '', { rules: [{ id: 'x', fault: 'ServerBusy' }, { fault: 'wrong' }], replace: true })).status,
    ).toBe(400);
    expect(await faults()).toHaveLength(2);
    const twice = { id: 'x', fault: 'ServerBusy' };
    expect((await ask('POST', '', { rules: [twice, twice], replace: true })).status).toBe(400);
    expect(
      (await ask('POST', '', { rules: Array.from({ length: 101 }, () => ({ fault: 'ServerBusy' })), replace: true }))
        .status,
    ).toBe(400);
    expect(await faults()).toHaveLength(2);
    await ask('POST', '', { rules: [{ id: 'x', fault: 'ServerBusy' }], replace: true });
    expect((await faults()).map(({ id }) => id)).toEqual(['x']);
  });

  it('get ids that no other rule has', async () => {
    const { body } = await ask('POST', '', { rules: { fault: 'ServerBusy' } });
    const [{ id }] = body['faults'] as [{ id: string }];
    const next = id.replace(/\d+$/, (number) => String(Number(number) + 1));
    await ask('POST', '', { rules: { id: next, fault: 'InternalError' } });
    await ask('POST', '', { rules: { fault: 'ServerBusy' } });
    expect(new Set((await faults()).map((one) => one.id)).size).toBe(3);
  });

  it('end after 60 seconds if they name neither a number nor a time', async () => {
    const before = Date.now();
    const { body } = await ask('POST', '', { rules: { fault: 'ServerBusy' } });
    const [{ ends }] = body['faults'] as [{ ends: string }];
    expect(Date.parse(ends)).toBeGreaterThanOrEqual(before + 60_000);
    expect(Date.parse(ends)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('send Retry-After when they are asked to', async () => {
    const { path } = await withEntity();
    await ask('POST', '', { rules: { fault: { kind: 'error', code: 'ServerBusy', retryAfter: 2 }, times: 1 } });
    expect((await client.get(path)).headers['retry-after']).toBe('2');
  });

  it.each([
    [{ table: 'TABLE' }, true],
    [{ table: 'Other' }, false],
    [{ account: 'devstoreaccount1' }, true],
    [{ account: 'other' }, false],
    [{ operation: 'get' }, true],
    [{ operation: ['insert', 'Get Entity'] }, true],
    [{ operation: 'write' }, false],
    [{ partitionKey: 'p' }, true],
    [{ partitionKey: 'q' }, false],
    [{ partitionKeyPrefix: 'p' }, true],
    [{ partitionKey: 'p', rowKey: 's' }, false],
    [{ rowKey: 'r' }, true],
    [{ header: { name: 'X-Test', value: '7' } }, true],
    [{ header: { name: 'X-Test', value: '8' } }, false],
    [{ header: { name: 'x-test' } }, true],
    [{ header: { name: 'x-other' } }, false],
    [{ userAgent: 'TEST' }, true],
    [{ userAgent: 'other' }, false],
    [{ scoped: true }, true],
  ])('with the condition %j act on a request: %s', async (when, acts) => {
    const { table, path } = await withEntity();
    const own = 'table' in when && when.table === 'TABLE' ? { table: table.toUpperCase() } : when;
    await ask('POST', '', { rules: { id: 'mine', when: own, fault: 'ServerBusy' } });
    const { status } = await client.get(path, {
      headers: { 'x-test': '7', 'user-agent': 'a test of rules', 'x-tabularium-fault': 'mine' },
    });
    expect(status).toBe(acts ? 503 : 200);
  });

  it('as a text have no other fields beside it, which would be left out', async () => {
    expect(await ask('POST', '', { rules: { text: 'flaky', times: 2 } })).toMatchObject({
      status: 400,
      body: {
        error:
          'Rules in words cannot be combined with other fields. Write them all as words: flaky table=Jobs for=10m.',
      },
    });
  });

  it('that are scoped leave requests alone that do not name them', async () => {
    const { path } = await withEntity();
    await ask('POST', '', { rules: { id: 'mine', when: { scoped: true }, fault: 'ServerBusy' } });
    expect((await client.get(path)).status).toBe(200);
    expect((await client.get(path, { headers: { 'x-tabularium-fault': 'other' } })).status).toBe(200);
  });

  it('find the keys of an insert in its body, and the table of a new table', async () => {
    const table = await withTable();
    await ask('POST', '', { rules: { when: { partitionKey: 'p', rowKey: 'x' }, fault: 'ServerBusy' } });
    expect((await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'y' })).status).toBe(201);
    expect((await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'x' })).status).toBe(503);
    await ask('POST', '', { rules: [{ when: { table: 'Newest' }, fault: 'ServerBusy' }], replace: true });
    expect((await client.post('/Tables', { TableName: 'newest' })).status).toBe(503);
  });

  it('act on a query if it stays within the partition', async () => {
    const { table } = await withEntity();
    await ask('POST', '', { rules: { when: { partitionKey: 'p' }, fault: 'ServerBusy' } });
    const query = (filter: string) => client.get(`/${table}()?$filter=${encodeURIComponent(filter)}`);
    expect((await query("PartitionKey eq 'p' and A eq 'x'")).status).toBe(503);
    expect((await query("PartitionKey eq 'o'")).status).toBe(200);
    expect((await query("PartitionKey ge 'p'")).status).toBe(200);
  });

  it('leave a request that its operation rejects to the operation, if they look for keys', async () => {
    const table = await withTable();
    await ask('POST', '', { rules: { when: { partitionKey: 'p' }, fault: 'ServerBusy' } });
    expect((await client.post(`/${table}`, { PartitionKey: 7 })).status).toBe(400);
  });

  it('of a seed act on the same requests each time', async () => {
    const { path } = await withEntity();
    const run = async () => {
      await ask('POST', '', { rules: [{ fault: 'ServerBusy', probability: 0.4, seed: 7, after: 2 }], replace: true });
      const statuses: number[] = [];
      for (let request = 0; request < 30; request++) statuses.push((await client.get(path)).status);
      return statuses;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(first.slice(0, 2)).toEqual([200, 200]);
    expect(new Set(first)).toEqual(new Set([200, 503]));
  });

  it('act one around the other, in the order in which they were added', async () => {
    const { path } = await withEntity();
    await ask('POST', '', {
      rules: [
        { id: 'slow', fault: { kind: 'latency', fixed: 1 }, times: 2 },
        { id: 'busy', fault: 'ServerBusy', times: 1 },
      ],
    });
    expect((await client.get(path)).status).toBe(503);
    expect((await client.get(path)).status).toBe(200);
    const { body } = await ask('GET', '/requests?limit=2');
    expect((body['requests'] as { Fault?: string }[]).map(({ Fault }) => Fault)).toEqual(['slow,busy', 'slow']);
  });

  it('are named by the explanation of the answer', async () => {
    const { path } = await withEntity();
    await ask('POST', '', { rules: { id: 'late', fault: 'OperationTimedOut', times: 1 } });
    const { headers } = await client.get(path);
    const { body } = await ask('GET', `/why?id=${headers['x-ms-request-id']}`);
    expect(body).toMatchObject({
      cause: 'fault',
      text: 'The fault rule late caused this response. The operation was not applied.',
    });
  });

  it('are named by the explanation of an honest rejection that they led to', async () => {
    const { path, etag } = await withEntity();
    await ask('POST', '', { rules: { id: 'rival', fault: 'rivalWrite', times: 1 } });
    const { status, headers } = await client.delete(path, { headers: { 'if-match': etag } });
    expect(status).toBe(412);
    const { body } = await ask('GET', `/why?id=${headers['x-ms-request-id']}`);
    expect(body).toMatchObject({ text: expect.stringContaining('These fault rules acted on the request: rival.') });
  });

  it('that delay a request release it when they are removed', async () => {
    const { path } = await withEntity();
    await ask('POST', '', { rules: { id: 'hold', fault: { kind: 'latency', fixed: 600_000 }, times: 1 } });
    const held = client.get(path);
    await expect.poll(async () => (await faults())[0]?.hits).toBe(1);
    await ask('POST', '/clear');
    expect((await held).status).toBe(200);
  });
});
