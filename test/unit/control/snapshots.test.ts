import { beforeEach, expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('The snapshots of a server', ({ client, service, withTable }) => {
  const ask = async (method: string, path: string, body: unknown = {}) => {
    const answer = await fetch(`${service().url}/_tabularium${path}`, {
      method,
      ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const rowsOf = async (table: string) => {
    const { status, body } = await client.get(`/${table}`);
    return status === 200 ? (JSON.parse(body) as { value: unknown[] }).value.length : status;
  };
  const insert = (table: string, RowKey: string) => client.post(`/${table}`, { PartitionKey: 'p', RowKey });
  const account = () => service().account.name;

  let table = '';
  beforeEach(async () => {
    await ask('POST', '/reset', { to: 'empty' });
    const { body } = await ask('GET', '/snapshots');
    for (const { name } of body['snapshots'] as { name: string }[]) await ask('DELETE', `/snapshots/${name}`);
    table = await withTable();
    await insert(table, 'a');
  });

  it('are taken, listed, restored and deleted', async () => {
    const taken = { name: 'before', at: expect.any(String), accounts: [{ name: account(), tables: 1 }] };
    expect(await ask('PUT', '/snapshots/before')).toEqual({ status: 200, body: taken });
    expect(await ask('GET', '/snapshots')).toEqual({ status: 200, body: { snapshots: [taken] } });
    await insert(table, 'b');
    expect(await rowsOf(table)).toBe(2);

    expect(await ask('POST', '/snapshots/before/restore')).toMatchObject({ status: 200, body: { tables: 1 } });

    expect(await rowsOf(table)).toBe(1);
    expect(await ask('DELETE', '/snapshots/before')).toEqual({ status: 200, body: {} });
    expect(await ask('GET', '/snapshots')).toEqual({ status: 200, body: { snapshots: [] } });
  });

  it('are what a reset goes back to', async () => {
    await ask('PUT', '/snapshots/before');
    await insert(table, 'b');

    expect(await ask('POST', '/reset', { to: 'before' })).toMatchObject({ body: { to: 'before', tables: 1 } });
    expect(await rowsOf(table)).toBe(1);
    await client.delete(`/Tables('${table}')`);
    expect(await ask('POST', '/reset', { to: 'before', table })).toMatchObject({ body: { tables: 1 } });
    expect(await rowsOf(table)).toBe(1);
    expect(await ask('POST', '/reset')).toMatchObject({ body: { to: 'empty', tables: 1 } });
    expect(await rowsOf(table)).toBe(404);
  });

  it('are not restored, and nothing is emptied, if none of their accounts is served any more', async () => {
    const { body: branch } = await ask('POST', '/branches');
    const ended = String(branch['account']);
    await ask('PUT', '/snapshots/ofBranch', { account: ended });
    await ask('DELETE', `/branches/${ended}`);
    const fault = { error: `The snapshot ofBranch is of other accounts: ${ended}. To change a branch, name it.` };
    expect(await ask('POST', '/snapshots/ofBranch/restore')).toEqual({ status: 404, body: fault });
    expect(await ask('POST', '/reset', { to: 'ofBranch' })).toEqual({ status: 404, body: fault });
    expect(await rowsOf(table)).toBe(1);
  });

  it('are rejected for a table that does not exist, and for a name that is empty', async () => {
    await ask('PUT', '/snapshots/seed');
    const fault = { error: 'There is no table Missing.' };
    for (const to of ['seed', 'empty']) {
      expect(await ask('POST', '/reset', { table: 'Missing', to })).toEqual({ status: 404, body: fault });
    }
    for (const field of ['table', 'tablePrefix']) {
      const error = `'${field}' must not be empty.`;
      expect(await ask('POST', '/reset', { [field]: '' })).toEqual({ status: 400, body: { error } });
    }
  });

  it('with the name seed are what every reset goes back to', async () => {
    await ask('PUT', '/snapshots/seed');
    await insert(table, 'b');

    expect(await ask('POST', '/reset')).toMatchObject({ body: { to: 'seed' } });

    expect(await rowsOf(table)).toBe(1);
    expect(await ask('POST', '/reset', { table, partition: 'p' })).toMatchObject({
      body: { to: 'empty', entities: 1 },
    });
    expect(await ask('POST', '/reset', { to: 'empty' })).toMatchObject({ body: { to: 'empty', tables: 1 } });
  });

  it.each([
    ['PUT', '/snapshots/empty', {}, 400, /and not 'empty'; got 'empty'/],
    ['PUT', '/snapshots/devstoreaccount1', {}, 400, /name 'devstoreaccount1'\. An account has this name/],
    ['PUT', '/snapshots/.hidden', {}, 400, /beginning with a letter or a digit/],
    ['PUT', '/snapshots/s', { account: 'unknown' }, 404, /no account unknown/],
    ['POST', '/snapshots/missing/restore', {}, 404, /no snapshot missing\. The snapshots are: before\./],
    ['DELETE', '/snapshots/missing', {}, 404, /no snapshot missing/],
    ['POST', '/reset', { to: 'missing' }, 404, /no snapshot missing/],
    ['POST', '/reset', { to: 'before', table: 't', partition: 'p' }, 400, /can only be emptied/],
  ] as const)('are rejected for %s %s %j', async (method, path, body, status, error) => {
    await ask('PUT', '/snapshots/before');
    await insert(table, 'b');
    expect(await ask(method, path, body)).toEqual({ status, body: { error: expect.stringMatching(error) } });
    expect(await rowsOf(table)).toBe(2);
  });
});
