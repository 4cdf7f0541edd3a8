import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { runLine } from '../../support/programs/run-line.js';

describe('The entities of a table', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium({ cosmos: {} });
    const rows = ['a', 'b', 'c'].map((RowKey, at) => ({ PartitionKey: 'p', RowKey, Size: at, Price: at + 0.5 }));
    await server.import(['{"$table":"Orders"}\n', ...rows.map((row) => `${JSON.stringify(row)}\n`)]);
  });
  afterAll(() => server.close());
  const lines = async (...words: readonly string[]) => {
    const { code, out, errors } = await runLine([...words, '--url', server.url]);
    return { code, lines: `${out}${errors}`.trimEnd().split('\n') };
  };

  it('are listed with the class of the query, and whether there are more', async () => {
    expect(await lines('entities', 'Orders', '--limit', '2', '--select', 'RowKey,Size')).toEqual({
      code: 0,
      lines: [
        '2 entities. There are more: narrow the filter, or raise the limit',
        'In the cloud: table-scan. Every entity of the table is read.',
        '{"RowKey":"a","Size":0}',
        '{"RowKey":"b","Size":1}',
      ],
    });
    expect(
      (await lines('entity', 'list', 'Orders', '--filter', "PartitionKey eq 'p' and RowKey eq 'c'")).lines,
    ).toEqual([
      '1 entity',
      'In the cloud: point. One entity is read, found by its two keys.',
      expect.stringMatching(
        /^\{"PartitionKey":"p","RowKey":"c","Timestamp":"[^"]+","Size":2,"Price":2\.5,"Price@odata\.type":"Edm\.Double"\}$/,
      ),
    ]);
  });

  it('are counted, also those that a filter finds', async () => {
    expect((await lines('entity', 'count', 'Orders')).lines[0]).toBe('3 entities');
    expect((await lines('entity', 'count', 'Orders', '--filter', 'Size ge 1')).lines.slice(0, 2)).toEqual([
      '2 entities',
      'In the cloud: table-scan. Every entity of the table is read.',
    ]);
  });

  it('are described with the table', async () => {
    expect((await lines('table', 'show', 'Orders')).lines).toEqual([
      'devstoreaccount1/Orders: 3 entities in 1 partition',
      'PartitionKey Edm.String, in 3, such as "p"',
      'RowKey Edm.String, in 3, such as "a"',
      'Size Edm.Int32, in 3, such as 0',
      'Price Edm.Double, in 3, such as 0.5',
    ]);
  });

  it.each([
    [['entity', 'list', 'Orders', '--filter', 'Size gt'], 'The filter is rejected with InvalidInput. '],
    [['entity', 'count', 'Orders', '--filter', 'Size gt'], 'The filter is rejected with InvalidInput. '],
    [['entity', 'list', 'Missing'], 'The account devstoreaccount1 has no table Missing.'],
    [['table', 'show', 'Order'], 'The account devstoreaccount1 has no table Order. Did you mean Orders?'],
    [['entity', 'list', 'Orders', '--limit', '0'], '--limit must be at least 1; got 0.'],
    [['entity', 'list', 'Orders', '--limit', '1001'], '--limit must be at most 1000; got 1001.'],
    [
      ['entity', 'list', 'Orders', '--account', 'other'],
      'There is no account other. The accounts are: devstoreaccount1',
    ],
    [['table', 'show'], 'TABLE is missing, such as "Orders".'],
  ])('cannot be read by %j', async (words, message) => {
    const { code, lines: told } = await lines(...words);
    expect(code).toBe(2);
    expect(told[0]).toContain(message);
  });

  it('of Cosmos DB are judged by its costs', async () => {
    await server.import(['{"$table":"Indexed"}\n'], { account: 'localhost' });
    expect(await server.entities.list('Indexed', { account: 'localhost', filter: 'Size eq 1' })).toMatchObject({
      class: 'cross-partition',
      entities: [],
    });
  });

  it('are reached by the connection strings of the accounts, by the host that the caller used', async () => {
    const { port } = new URL(server.url);
    const ask = async (body: object) => {
      const answer = await fetch(`http://localhost:${port}/_tabularium/connection-strings`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
      });
      return { status: answer.status, body: (await answer.json()) as object };
    };
    const own = { account: 'devstoreaccount1', connectionString: server.connectionString };
    expect(await ask({ account: 'devstoreaccount1' })).toEqual({ status: 200, body: { accounts: [own] } });
    await server.branches.create();
    const cosmos = { account: 'localhost', connectionString: server.cosmosConnectionString };
    expect(await ask({})).toEqual({ status: 200, body: { accounts: [own, cosmos] } });
    expect(await ask({ account: 'other' })).toMatchObject({ status: 404 });
  });
});
