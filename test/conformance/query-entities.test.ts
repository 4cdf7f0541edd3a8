import { expect, it } from 'vitest';
import type { JsonObject } from '../support/answers/answer.js';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { type ServiceClient, withQuery } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

const nextPartition = 'x-ms-continuation-NextPartitionKey';
const nextRow = 'x-ms-continuation-NextRowKey';
const token = (text: string) => {
  const written = Buffer.from(text).toString('base64').replaceAll('=', '-');
  return `1!${written.length}!${written}`;
};

async function insert(client: ServiceClient, table: string, ...entities: readonly JsonObject[]): Promise<void> {
  for (const entity of entities) {
    const answer = await client.post(`/${table}`, { PartitionKey: 'p', ...entity });
    expect(answer.status, answer.body).toBe(201);
  }
}

const rowKeys = (rows: readonly JsonObject[]) => rows.map(({ RowKey }) => RowKey);

/** `Value` 1 to 10 under the row keys 01 to 10. */
const ten = Array.from({ length: 10 }, (_, at) => ({ RowKey: String(at + 1).padStart(2, '0'), Value: at + 1 }));

describeService('Query Entities', ({ client, withTable, service }) => {
  it('Q1 answers T and T() with the same set, without a tag', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1', A: 'x' });

    const bare = await client.get(`/${table}`);
    const called = await client.get(`/${table}()`);

    expectSuccess(bare, 200);
    expect(bare.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}`);
    expect(bare.rows.map((row) => Object.keys(row))).toEqual([
      ['odata.etag', 'PartitionKey', 'RowKey', 'Timestamp', 'A'],
    ]);
    expect(called.body).toBe(bare.body);
  });

  it('Q1 answers with an empty set for an empty table', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}()`, { accept: 'application/json;odata=nometadata' });

    expectSuccess(answer, 200);
    expect(answer.body).toBe('{"value":[]}');
  });

  it('Q2 orders by PartitionKey, then RowKey, as text', async () => {
    const table = await withTable();
    await insert(
      client,
      table,
      { PartitionKey: 'b', RowKey: '' },
      ...['2', '10', 'a', 'B', '1', '', 'é'].map((RowKey) => ({ PartitionKey: 'a', RowKey })),
      { PartitionKey: 'aa', RowKey: '0' },
    );

    const answer = await client.get(`/${table}`);

    expect(answer.rows.map(({ PartitionKey, RowKey }) => `${PartitionKey} ${RowKey}`)).toEqual([
      'a ',
      'a 1',
      'a 10',
      'a 2',
      'a B',
      'a a',
      'a é',
      'aa 0',
      'b ',
    ]);
  });

  it('Q3 counts matching rows per page, and continues at the tokens', async () => {
    const table = await withTable();
    await insert(client, table, ...ten);

    const first = await client.get(withQuery(`/${table}`, { $top: 1, $filter: 'Value le 5' }));
    const second = await client.get(
      withQuery(`/${table}`, {
        $filter: 'Value le 5',
        NextPartitionKey: first.headers[nextPartition.toLowerCase()] ?? '',
        NextRowKey: first.headers[nextRow.toLowerCase()] ?? '',
      }),
    );

    expectSuccess(first, 200, { [nextPartition]: token('p'), [nextRow]: token('02') });
    expect(rowKeys(first.rows)).toEqual(['01']);
    expectSuccess(second, 200);
    expect(rowKeys(second.rows)).toEqual(['02', '03', '04', '05']);
  });

  it('Q3 writes the next match into a token, not the next row', async () => {
    const table = await withTable();
    await insert(client, table, ...ten);

    const answer = await client.get(withQuery(`/${table}`, { $top: 1, $filter: 'Value eq 3 or Value eq 9' }));

    expectSuccess(answer, 200, { [nextPartition]: token('p'), [nextRow]: token('09') });
  });

  it('Q4 sends no token after a page that is exactly full', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1' }, { RowKey: '2' });

    const answer = await client.get(`/${table}?$top=2`);

    expectSuccess(answer, 200);
    expect(rowKeys(answer.rows)).toEqual(['1', '2']);
  });

  it('Q4 sends no token if no matching row follows', async () => {
    const table = await withTable();
    await insert(client, table, ...ten);

    const answer = await client.get(withQuery(`/${table}`, { $top: 5, $filter: 'Value le 5' }));

    expectSuccess(answer, 200);
    expect(answer.rows).toHaveLength(5);
  });

  it('Q5 answers $top=0 with no rows and no token', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1' });

    const answer = await client.get(`/${table}?$top=0`);

    expectSuccess(answer, 200);
    expect(answer.rows).toEqual([]);
  });

  it.each(['1001', '-1', 'x', '', '1.0', '99999999999999999999'])('Q6 rejects $top=%s', async (top) => {
    const table = await withTable();

    const answer = await client.get(`/${table}?$top=${top}`);

    expectTableError(answer, 400, 'InvalidInput', { set: 'B2', message: 'One of the request inputs is not valid.' });
  });

  it('Q7 ends a page at 1000 rows, with both tokens', async () => {
    const table = await withTable();
    const keys = Array.from({ length: 1001 }, (_, at) => String(at).padStart(4, '0'));
    await Promise.all(keys.map((RowKey) => insert(client, table, { RowKey })));

    const first = await client.get(`/${table}`);
    const second = await client.get(
      `/${table}?NextPartitionKey=${first.headers[nextPartition.toLowerCase()]}&NextRowKey=${token('1000')}`,
    );

    expectSuccess(first, 200, { [nextPartition]: token('p'), [nextRow]: token('1000') });
    expect(rowKeys(first.rows)).toEqual(keys.slice(0, 1000));
    expectSuccess(second, 200);
    expect(rowKeys(second.rows)).toEqual(['1000']);
  });

  it('Q8 continues after a row that was deleted between two pages', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1' }, { RowKey: '2' }, { RowKey: '3' });
    await client.get(`/${table}?$top=1`);
    await client.delete(`/${table}(PartitionKey='p',RowKey='2')`, { ifMatch: '*' });

    const second = await client.get(`/${table}?NextPartitionKey=${token('p')}&NextRowKey=${token('2')}`);

    expect(rowKeys(second.rows)).toEqual(['3']);
  });

  it.each([
    'NextPartitionKey=garbage',
    'NextPartitionKey=1!5!MQ--&NextRowKey=1!4!MQ--',
    'NextRowKey=1!4!MQ--',
    'NextPartitionKey=&NextRowKey=1!4!MQ--',
    'NextPartitionKey=1!4!MQ--&NextRowKey=',
  ])('Q9 rejects the token %s', async (options) => {
    const table = await withTable();

    const answer = await client.get(`/${table}?${options}`);

    expectTableError(answer, 400, 'InvalidInput');
  });

  it('Q9 starts at the beginning of the partition if the token has no row', async () => {
    const table = await withTable();
    await insert(client, table, { PartitionKey: 'a', RowKey: '1' }, { PartitionKey: 'b', RowKey: '1' });

    const answer = await client.get(`/${table}?NextPartitionKey=${token('b')}`);

    expect(answer.rows.map(({ PartitionKey }) => PartitionKey)).toEqual(['b']);
  });

  it('Q29 treats an empty $select as everything', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1', z: 1, a: 2 });

    const answer = await client.get(`/${table}?$select=`);

    expect(answer.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}&$select=`);
    expect(answer.rows.map((row) => Object.keys(row))).toEqual([
      ['odata.etag', 'PartitionKey', 'RowKey', 'Timestamp', 'z', 'a'],
    ]);
  });

  it.each([
    ['sex,age', 'sex,age'],
    ['sex%2Cage', 'sex,age'],
    ['sex,%20age', 'sex,%20age'],
  ])('Q30 selects by $select=%s', async (sent, repeated) => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1', sex: 'male', age: 39, other: 1 });

    const answer = await client.get(`/${table}?$select=${sent}`);

    expect(answer.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}&$select=${repeated}`);
    expect(answer.rows.map((row) => Object.keys(row))).toEqual([['odata.etag', 'age', 'sex']]);
  });

  it.each(['$orderby=A', '$skip=1', '$expand=A', '$count=true', '$inlinecount=allpages'])(
    'Q31 rejects %s with NotImplemented',
    async (option) => {
      const table = await withTable();

      const answer = await client.get(`/${table}?${option}`);

      expectTableError(answer, 501, 'NotImplemented', {
        set: 'B2',
        message: 'The requested operation is not implemented on the specified resource.',
      });
    },
  );

  it('Q31 rejects an option that OData does not have', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}?$foo=1`);

    expectTableError(answer, 400, 'InvalidInput');
  });

  it.each([
    ['$orderby=A&$foo=1', 'B2', 'One of the request inputs is not valid.'],
    ["$filter=startswith(A,'x')&$foo=1", 'B2', 'One of the request inputs is not valid.'],
    [
      "$filter=startswith(A,'x')%20and%205",
      'B1',
      "A binary operator with incompatible types was detected. Found operand types '<null>' and 'Edm.Int32' for operator kind 'And'.",
    ],
  ] as const)('reports the error in %s before the unimplemented option', async (options, set, message) => {
    const table = await withTable();

    const answer = await client.get(`/${table}?${options}`);

    expectTableError(answer, 400, 'InvalidInput', { set, message });
  });

  it('Q33 begins each row with type, id, tag and link at full metadata', async () => {
    const table = await withTable();
    await insert(client, table, { RowKey: '1', a: 1 });

    const answer = await client.get(`/${table}`, { accept: 'application/json;odata=fullmetadata' });

    expectSuccess(answer, 200);
    expect(Object.entries(answer.rows[0] ?? {})).toEqual([
      ['odata.type', `devstoreaccount1.${table}`],
      ['odata.id', `${service().base}/${table}(PartitionKey='p',RowKey='1')`],
      ['odata.etag', expect.any(String)],
      ['odata.editLink', `${table}(PartitionKey='p',RowKey='1')`],
      ['PartitionKey', 'p'],
      ['RowKey', '1'],
      ['Timestamp@odata.type', 'Edm.DateTime'],
      ['Timestamp', expect.any(String)],
      ['a', 1],
    ]);
  });

  it('answers TableNotFound for a missing table, after it has read the query', async () => {
    const plain = await client.get('/nope');
    const unreadable = await client.get('/nope?$filter=aaa+bbb');

    expectTableError(plain, 404, 'TableNotFound', { set: 'B1' });
    const message = "Syntax error at position 7 in 'aaa bbb'.";
    expectTableError(unreadable, 400, 'InvalidInput', { set: 'B1', message });
  });
});
