import { TableClient } from '@azure/data-tables';
import { beforeEach, expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

interface Made {
  readonly account: string;
  readonly connectionString: string;
}

describeService('The branches of a server', ({ client, service, withTable }) => {
  const ask = async (method: string, path: string, body: unknown = {}, host?: string) => {
    const answer = await fetch(`${host ?? service().url}/_tabularium${path}`, {
      method,
      ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const make = async (wish: object = {}) => (await ask('POST', '/branches', wish)).body as unknown as Made;
  const inBranch = ({ connectionString }: Made, table: string) =>
    TableClient.fromConnectionString(connectionString, table, {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
  const rowsIn = async (table: TableClient) => {
    const rows: string[] = [];
    for await (const { rowKey } of table.listEntities()) rows.push(rowKey ?? '');
    return rows;
  };

  let table = '';
  beforeEach(async () => {
    await ask('POST', '/reset', { to: 'empty' });
    table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'a' });
  });

  it('begin as a copy of the account, and share nothing with it', async () => {
    const made = await make();
    expect(made).toMatchObject({
      account: expect.stringMatching(/^b[0-9a-z]{10}$/),
      from: { account: service().account.name },
      tables: 1,
      expires: expect.stringMatching(/Z$/),
    });
    const branch = inBranch(made, table);
    await branch.createEntity({ partitionKey: 'p', rowKey: 'b' });
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'c' });

    expect(await rowsIn(branch)).toEqual(['a', 'b']);
    const { body } = await client.get(`/${table}`);
    expect((JSON.parse(body) as { value: { RowKey: string }[] }).value.map(({ RowKey }) => RowKey)).toEqual(['a', 'c']);
  });

  it('begin as a snapshot, and a reset brings them back to it', async () => {
    await ask('PUT', '/snapshots/base');
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'later' });
    const made = await make({ from: 'base' });
    expect(made).toMatchObject({ from: { account: service().account.name, snapshot: 'base' } });
    const branch = inBranch(made, table);
    await branch.deleteEntity('p', 'a');

    expect(await ask('POST', '/reset', { account: made.account })).toMatchObject({ body: { to: 'base', tables: 1 } });

    expect(await rowsIn(branch)).toEqual(['a']);
    await ask('DELETE', '/snapshots/base');
    expect(await rowsIn(branch)).toEqual(['a']);
  });

  it('begin as the seed if there is one', async () => {
    await ask('PUT', '/snapshots/seed');
    expect(await make()).toMatchObject({ from: { snapshot: 'seed' } });
    await ask('DELETE', '/snapshots/seed');
  });

  it('of a branch are reset to a snapshot of the account that both begin as', async () => {
    await ask('PUT', '/snapshots/seed');
    const { account } = await make();
    const second = await make({ from: account });
    await inBranch(second, table).deleteEntity('p', 'a');
    expect(await ask('POST', '/reset', { account: second.account })).toMatchObject({ body: { to: 'seed', tables: 1 } });
    expect(await rowsIn(inBranch(second, table))).toEqual(['a']);
    await ask('DELETE', '/snapshots/seed');
  });

  it('are not touched by a reset of everything', async () => {
    const made = await make();
    await ask('POST', '/reset');
    expect(await rowsIn(inBranch(made, table))).toEqual(['a']);
  });

  it('are listed and deleted, and then rejected', async () => {
    const made = await make();
    const branches = async () => (await ask('GET', '/branches')).body['branches'] as Made[];
    const list = async () => (await branches()).map(({ account }) => account);
    expect(await list()).toContain(made.account);
    const [, key = ''] = /;AccountKey=([^;]+);/.exec(made.connectionString) ?? [];
    expect(key).not.toBe('');
    for (const branch of await branches()) {
      expect(Object.keys(branch).sort()).toEqual(['account', 'expires', 'from']);
      expect(JSON.stringify(branch)).not.toContain(key);
    }

    expect(await ask('DELETE', `/branches/${made.account}`)).toEqual({ status: 200, body: {} });

    expect(await list()).not.toContain(made.account);
    await expect(rowsIn(inBranch(made, table))).rejects.toThrow();
  });

  it('are reached by an address, never by localhost', async () => {
    const { port } = new URL(service().url);
    const { body } = await ask('POST', '/branches', {}, `http://localhost:${port}`);
    expect(body['connectionString']).toContain(`TableEndpoint=http://127.0.0.1:${port}/${body['account']};`);
  });

  it.each([
    ['POST', '/branches', { from: 'missing' }, 404, /no snapshot missing/],
    ['POST', '/branches', { account: 'unknown' }, 404, /no account unknown/],
    ['POST', '/branches', { for: '0s' }, 400, /lasts for 1 to 604800 seconds, not for 0/],
    ['POST', '/branches', { for: '500ms' }, 400, /lasts for 1 to 604800 seconds, not for 0.5/],
    ['POST', '/branches', { for: 'long' }, 400, /'for' must be a length of time, such as .*; got 'long'/],
    ['DELETE', '/branches/devstoreaccount1', {}, 404, /no branch devstoreaccount1/],
  ] as const)('are rejected for %s %s %j', async (method, path, body, status, error) => {
    expect(await ask(method, path, body)).toEqual({ status, body: { error: expect.stringMatching(error) } });
  });
});
