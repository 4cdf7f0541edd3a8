import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { type ServiceClient, withQuery } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

const tokenHeader = 'x-ms-continuation-NextTableName';

async function createTables(client: ServiceClient, ...names: readonly string[]): Promise<void> {
  for (const TableName of names) expect((await client.post('/Tables', { TableName })).status).toBe(201);
}

/** Returns the address of the tables whose names begin with this prefix. */
const tablesFrom = (prefix: string, options: Readonly<Record<string, string | number>> = {}) =>
  withQuery('/Tables', { $filter: `TableName ge '${prefix}' and TableName lt '${prefix}~'`, ...options });

const named = (...names: readonly string[]) => names.map((TableName) => ({ TableName }));

describeService('Query Tables', ({ client, service }) => {
  it('T16 lists names as they were created, sorted regardless of letter case', async () => {
    await createTables(client, 'ordeB', 'ordaB', 'ordAa', 'ordC');

    const answer = await client.get(tablesFrom('ord'));

    expectSuccess(answer, 200);
    expect(answer.rows).toEqual(named('ordAa', 'ordaB', 'ordC', 'ordeB'));
  });

  it('T17 lists each table with full metadata', async () => {
    await createTables(client, 'FullTable');
    const { base } = service();

    const answer = await client.get("/Tables()?$filter=TableName%20eq%20'FullTable'", {
      accept: 'application/json;odata=fullmetadata',
    });

    expectSuccess(answer, 200);
    expect(answer.body).toBe(
      `{"odata.metadata":"${base}/$metadata#Tables","value":[{"odata.type":"devstoreaccount1.Tables",` +
        `"odata.id":"${base}/Tables('FullTable')","odata.editLink":"Tables('FullTable')","TableName":"FullTable"}]}`,
    );
  });

  it('T18 lists only names with nometadata', async () => {
    await createTables(client, 'BareTable');

    const answer = await client.get("/Tables?$filter=TableName%20eq%20'BareTable'", {
      accept: 'application/json;odata=nometadata',
    });

    expectSuccess(answer, 200);
    expect(answer.body).toBe('{"value":[{"TableName":"BareTable"}]}');
  });

  it('T19 and T20 send a token with the lower-case name of the next table and its time, and continue there', async () => {
    await createTables(client, 'pageA', 'pageB', 'pageC');

    const first = await client.get(tablesFrom('page', { $top: 2 }));
    const token = first.headers[tokenHeader.toLowerCase()] ?? '';
    const raw = await client.get(`${tablesFrom('page')}&NextTableName=${token}`);
    const encoded = await client.get(`${tablesFrom('page')}&NextTableName=${token.replaceAll('!', '%21')}`);

    expectSuccess(first, 200, { [tokenHeader]: expect.stringMatching(/^1!\d+!/) });
    expect(first.rows).toEqual(named('pageA', 'pageB'));
    const [, length, text = ''] = token.split('!');
    expect(text).toHaveLength(Number(length));
    expect(Buffer.from(text.replaceAll('-', '='), 'base64').toString('utf8')).toMatch(/^pagec\u0001[0-9a-f]{16}$/);
    expectSuccess(raw, 200);
    expect(raw.rows).toEqual(named('pageC'));
    expect(encoded.body).toBe(raw.body);
  });

  it('T21 sends no token after a page that is exactly full', async () => {
    await createTables(client, 'justA', 'justB');

    const answer = await client.get(tablesFrom('just', { $top: 2 }));

    expectSuccess(answer, 200);
    expect(answer.rows).toEqual(named('justA', 'justB'));
  });

  it('T22 sends no token if no matching table follows', async () => {
    await createTables(client, 'zzza0', 'zzza1', 'zzza2', 'zzza3', 'zzzb4');
    const query = withQuery('/Tables', { $filter: "TableName ge 'zzza' and TableName lt 'zzzb'", $top: 2 });

    const first = await client.get(query);
    const second = await client.get(`${query}&NextTableName=${first.headers[tokenHeader.toLowerCase()]}`);

    expect(first.rows).toEqual(named('zzza0', 'zzza1'));
    expectSuccess(second, 200);
    expect(second.rows).toEqual(named('zzza2', 'zzza3'));
  });

  it('T23 finds tables whose names are joined by or', async () => {
    await createTables(client, 'either1', 'either2', 'either3');

    const answer = await client.get(
      withQuery('/Tables', { $filter: "TableName eq 'either1' or TableName eq 'either2'" }),
    );

    expect(answer.rows).toEqual(named('either1', 'either2'));
  });

  it('continues after a table that was deleted between two pages', async () => {
    await createTables(client, 'goneA', 'goneB', 'goneC');
    const first = await client.get(tablesFrom('gone', { $top: 1 }));
    await client.delete("/Tables('goneB')");

    const second = await client.get(`${tablesFrom('gone')}&NextTableName=${first.headers[tokenHeader.toLowerCase()]}`);

    expect(second.rows).toEqual(named('goneC'));
  });

  it.each(['1001', '-1', 'x', '1.5', ''])('rejects $top=%s', async (top) => {
    const answer = await client.get(`/Tables?$top=${top}`);

    expectTableError(answer, 400, 'InvalidInput');
  });

  it.each(['', '&$top=0'])('T27 does not implement `not` after an operator, %s', async (rest) => {
    const answer = await client.get(`/Tables?$filter=filter%20eq%20not%20valid${rest}`);

    expectTableError(answer, 501, 'NotImplemented', { set: 'B2' });
  });

  it('answers $top=0 with no rows and no token', async () => {
    await createTables(client, 'zero');

    const answer = await client.get('/Tables?$top=0');

    expectSuccess(answer, 200);
    expect(answer.rows).toEqual([]);
  });

  it.each(['garbage', '1!4!****', '1!3!MQ--'])('rejects the token %s', async (token) => {
    const answer = await client.get(`/Tables?NextTableName=${token}`);

    expectTableError(answer, 400, 'InvalidInput');
  });

  it.each([
    ['TableName', 'The $filter expression must evaluate to a single boolean value.'],
    [
      'not TableName',
      "A unary operator with an incompatible type was detected. Found operand type 'Edm.String' for operator kind 'Not'.",
    ],
    [
      "TableName and TableName ge 'a'",
      "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' " +
        "for operator kind 'And'.",
    ],
  ])('rejects %s: the name of a table is a string', async (filter, message) => {
    const answer = await client.get(withQuery('/Tables', { $filter: filter }));

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message });
  });

  it.each(['NextTableName=garbage', '$foo=1'])(
    'reports the error in %s before the unimplemented option',
    async (option) => {
      const answer = await client.get(`/Tables?$filter=startswith(TableName,'a')&${option}`);

      expectTableError(answer, 400, 'InvalidInput');
    },
  );

  it('rejects a function in a filter with NotImplemented', async () => {
    const answer = await client.get("/Tables?$filter=startswith(TableName,'a')");

    expectTableError(answer, 501, 'NotImplemented', { set: 'B2' });
  });
});
