import { expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('The state of a server', ({ client, service, withTable }) => {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${service().url}/_tabularium${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const tableWith = async (...rows: readonly (readonly [partition: string, row: string])[]) => {
    const table = await withTable();
    for (const [PartitionKey, RowKey] of rows) await client.post(`/${table}`, { PartitionKey, RowKey });
    return table;
  };
  const rowsOf = async (table: string) => {
    const { status, body } = await client.get(`/${table}`);
    if (status !== 200) return status;
    return (JSON.parse(body) as { value: { PartitionKey: string }[] }).value.map(({ PartitionKey }) => PartitionKey);
  };

  it('without a target is emptied', async () => {
    const table = await tableWith(['p', 'r']);

    expect(await post('/reset', {})).toMatchObject({
      status: 200,
      body: { to: 'empty', tables: 1, ms: expect.any(Number) },
    });
    expect(await rowsOf(table)).toBe(404);
  });

  it('loses the tables of an account', async () => {
    const table = await tableWith(['p', 'r']);

    expect(await post('/reset', { account: service().account.name })).toMatchObject({ body: { tables: 1 } });
    expect(await rowsOf(table)).toBe(404);
  });

  it('loses the entities of a table, which stays', async () => {
    const [table, other] = [await tableWith(['p', 'r']), await tableWith(['p', 'r'])];

    expect(await post('/reset', { table: table.toUpperCase() })).toMatchObject({ body: { tables: 1 } });
    expect(await rowsOf(table)).toEqual([]);
    expect(await rowsOf(other)).toEqual(['p']);
  });

  it('loses the entities of the tables of a prefix', async () => {
    const tables = [await tableWith(['p', 'r']), await tableWith(['p', 'r'])];

    await post('/reset', { tablePrefix: (tables[0] ?? '').slice(0, 1).toLowerCase() });

    for (const table of tables) expect(await rowsOf(table)).toEqual([]);
    expect(await post('/reset', { tablePrefix: 'Nothing' })).toMatchObject({ status: 200, body: { tables: 0 } });
  });

  it('loses the entities of a partition', async () => {
    const rows = Array.from({ length: 3 }, (_, at) => ['p', `r${at}`] as const);
    const table = await tableWith(['o', 'r'], ...rows, ['q', 'r']);

    expect(await post('/reset', { table, partition: 'p' })).toMatchObject({ body: { tables: 1, entities: 3 } });
    expect(await rowsOf(table)).toEqual(['o', 'q']);
  });

  it.each([
    [{ account: 'unknown' }, 404, 'There is no account unknown. The accounts are: devstoreaccount1.'],
    [{ table: 'Missing' }, 404, 'There is no table Missing.'],
    [{ partition: 'p' }, 400, 'A partition needs its table.'],
    [{ table: 'One', tablePrefix: 'T' }, 400, 'Name one table or a prefix, not both.'],
    [{ acount: 'devstoreaccount1' }, 400, "There is no 'acount'. Did you mean 'account'?"],
    [{ table: 1 }, 400, "'table' must be a string; got 1."],
    [[], 400, 'Send a JSON object with any of: account, table, tablePrefix, partition, to.'],
  ])('is not changed by %j', async (target, status, error) => {
    const table = await tableWith(['p', 'r']);

    expect(await post('/reset', target)).toEqual({ status, body: { error } });
    expect(await rowsOf(table)).toEqual(['p']);
  });
});
