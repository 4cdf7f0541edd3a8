import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const nometadata = 'application/json;odata=nometadata';

describeService('Get Table', ({ client, withTable, service }) => {
  it('T12 answers with the table', async () => {
    const table = await withTable();

    const answer = await client.get(`/Tables('${table}')`);

    expectSuccess(answer, 200);
    expect(answer.body).toBe(`{"odata.metadata":"${service().base}/$metadata#Tables/@Element","TableName":"${table}"}`);
  });

  it('T12 answers with only the name with nometadata', async () => {
    const table = await withTable();

    const answer = await client.get(`/Tables('${table}')`, { accept: nometadata });

    expectSuccess(answer, 200);
    expect(answer.body).toBe(`{"TableName":"${table}"}`);
  });

  it.each([
    ['another case', (table: string) => `/Tables('${table.toLowerCase()}')`],
    ['a named key', (table: string) => `/Tables(TableName='${table}')`],
    ['%27 for the quotes', (table: string) => `/Tables(%27${table}%27)`],
  ])('finds a table at an address with %s, and answers its name as it was created', async (_kind, addressOf) => {
    const table = await withTable();

    const answer = await client.get(addressOf(table));

    expect(answer.json['TableName']).toBe(table);
  });

  it('T13 answers ResourceNotFound for a missing table, not TableNotFound', async () => {
    const answer = await client.get("/Tables('nope')");

    expectTableError(answer, 404, 'ResourceNotFound', {
      set: 'B2',
      message: 'The specified resource does not exist.',
    });
  });
});
