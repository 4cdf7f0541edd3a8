import { beforeEach, expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('The tables of a server', ({ client, service, withTable }) => {
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${service().url}/_tabularium${path}`, {
      ...(body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const account = () => service().account.name;

  let table = '';
  beforeEach(async () => {
    await ask('/reset', { to: 'empty' });
    table = await withTable();
    for (const [PartitionKey, N] of [
      ['p', 1],
      ['p', 2],
      ['q', 2],
    ] as const) {
      await client.post(`/${table}`, { PartitionKey, RowKey: String(N), N });
    }
  });

  it('are listed, and their entities counted if asked for', async () => {
    expect(await ask('/tables')).toEqual({ status: 200, body: { tables: [{ account: account(), name: table }] } });
    expect(await ask(`/tables?account=${account()}&count`)).toEqual({
      status: 200,
      body: { tables: [{ account: account(), name: table, entities: 3 }] },
    });
  });

  it('lose what a filter finds', async () => {
    expect(await ask('/entities/delete', { table, filter: 'N eq 2' })).toMatchObject({
      status: 200,
      body: { entities: 2 },
    });
    expect((await ask('/tables?count')).body).toMatchObject({ tables: [{ entities: 1 }] });
  });

  it.each([
    ['/tables?account=unknown', undefined, 404, /no account unknown/],
    ['/entities/delete', { table: 'Missing', filter: ' ' }, 400, /^'filter' must not be empty\.$/],
    ['/entities/delete', { table: 'Missing', filter: 'N eq 1' }, 404, /has no table Missing/],
    ['/entities/delete', { table: 'Missing' }, 400, /^'filter' is missing, such as /],
    ['/entities/delete', { table: 'Missing', filter: 'N eq' }, 400, /./],
  ] as const)('are not changed by %s %j', async (path, body, status, error) => {
    expect(await ask(path, body)).toEqual({ status, body: { error: expect.stringMatching(error) } });
    expect((await ask('/tables?count')).body).toMatchObject({ tables: [{ entities: 3 }] });
  });
});
