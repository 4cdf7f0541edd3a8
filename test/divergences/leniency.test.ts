import { expect, it } from 'vitest';
import { entryOf, inAtom, keys } from '../support/answers/atom-tools.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { withQuery } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';
import { tableAccess, withAccess } from '../support/signatures/sign-access.js';

describeService('Divergences in accounts, tables and values', ({ client, withEntity, withTable }) => {
  it('A31 lists the accounts of the server when the account is unknown', async () => {
    const answer = await client.get('/Tables', { prefix: '/unknown' });

    expectTableError(answer, 404, 'ResourceNotFound', {
      ...{ set: 'A3', type: 'application/json' },
      message: /^The specified resource does not exist\. .*\bdevstoreaccount1\b/,
    });
  });

  it('T24 rejects a filter of tables on another property than TableName as input', async () => {
    const answer = await client.get(withQuery('/Tables', { $filter: "foo eq 'x'" }));

    expectTableError(answer, 400, 'InvalidInput');
  });

  it('T25 creates a table again right after it was deleted', async () => {
    const table = await withTable();
    await client.delete(`/Tables('${table}')`);

    const answer = await client.post('/Tables', { TableName: table });

    expect(answer.status).toBe(201);
  });

  it.each(['1', '30', '31', '100000', '007'])('checks timeout=%s, and never ends a request for it', async (timeout) => {
    const table = await withTable();

    expect((await client.get(`/${table}?timeout=${timeout}`)).status).toBe(200);
  });

  it.each(['0', '-1', '1.5', 'soon', ''])('rejects timeout=%s', async (timeout) => {
    expectTableError(await client.get(`/Tables?timeout=${timeout}`), 400, 'InvalidQueryParameterValue', { set: 'B1' });
  });

  it.each([16, 200])('accepts a filter of %i comparisons', async (comparisons) => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', A: 0 });

    const answer = await client.get(
      withQuery(`/${table}`, { $filter: Array.from({ length: comparisons }, (_, at) => `A eq ${at}`).join(' or ') }),
    );

    expect(answer.rows).toHaveLength(1);
  });

  it('rejects a filter that nests deeper than 200 levels', async () => {
    const nested = (depth: number) => `${'('.repeat(depth)}TableName eq 'abc'${')'.repeat(depth)}`;

    const deep = await client.get(withQuery('/Tables', { $filter: nested(200) }));
    const tooDeep = await client.get(withQuery('/Tables', { $filter: nested(201) }));

    expect(deep.status).toBe(200);
    expectTableError(tooDeep, 400, 'InvalidInput', { set: 'B1', message: 'Recursion limit reached.' });
  });

  it.each([
    ['2011-11-04T00:05:06.26085959Z', '2011-11-04T00:05:06.2608595Z'],
    ['2011-11-04T00:05:06.000000099Z', '2011-11-04T00:05:06Z'],
  ])('cuts the DateTime %s to 100 ns', async (sent, stored) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, {
      PartitionKey: 'p',
      RowKey: 'r',
      'T@odata.type': 'Edm.DateTime',
      T: sent,
    });

    expect(answer.json['T']).toBe(stored);
  });

  it('finds tables by name without regard to case', async () => {
    const table = await withTable();

    const answer = await client.get(withQuery('/Tables', { $filter: `TableName eq '${table.toUpperCase()}'` }));

    expect(answer.rows).toEqual([{ TableName: table }]);
  });

  it('accepts a body of 1024 members, and rejects one with more before it reads the rest', async () => {
    const table = await withTable();
    const nulls = (write: (at: number) => string, count: number) => Array.from({ length: count }, (_, at) => write(at));
    const inJson = (count: number, rest = '}') => {
      const members = nulls((at) => `"P${at}":null`, count - 2).join(',');
      return client.put(`/${table}(PartitionKey='p',RowKey='r')`, `{"PartitionKey":"p","RowKey":"r",${members}${rest}`);
    };
    const inEntry = (count: number) => {
      const members = nulls((at) => `<d:P${at} m:null="true"/>`, count - 2).join('');
      return client.put(`/${table}(PartitionKey='p',RowKey='r')`, entryOf(keys + members), inAtom);
    };

    expect((await inJson(1024)).status).toBe(204);
    expect((await inEntry(1024)).status).toBe(204);
    for (const answer of [await inJson(1025), await inJson(1025, ', and no JSON'), await inEntry(1025)]) {
      expectTableError(answer, 400, 'TooManyProperties');
    }
  });

  it('stores a lone surrogate as it was sent', async () => {
    const table = await withTable();

    const inserted = await client.post(`/${table}`, '{"PartitionKey":"p","RowKey":"\\ud800","s":"a\\udfffb"}');
    const read = await client.get(`/${table}`);

    expect(inserted.status).toBe(201);
    expect(read.rows).toMatchObject([{ RowKey: '\ud800', s: 'a\udfffb' }]);
  });

  it('answers ConditionNotMet to a DELETE with a weak tag without an instant', async () => {
    const { path } = await withEntity();

    const answer = await client.delete(path, { ifMatch: 'W/"0x5B168C7B6E589D2"' });

    expectTableError(answer, 412, 'ConditionNotMet', { set: 'B1' });
  });

  it('rejects a tag with more digits than 100 ns, which no entity can have', async () => {
    const { path, etag } = await withEntity();
    const padded = etag.replace(/(?:\.(\d+))?Z/, (_, fraction = '') => `.${fraction.padEnd(7, '0')}1Z`);

    const answer = await client.delete(path, { ifMatch: padded });

    expectTableError(answer, 412, 'ConditionNotMet', { set: 'B1' });
  });

  it('treats an empty If-Match as absent', async () => {
    const table = await withTable();

    const answer = await client.put(`/${table}(PartitionKey='p',RowKey='r')`, {}, { ifMatch: '' });

    expect(answer.status).toBe(204);
  });

  it.each(['duar', 'rx', 'rr'])(
    'takes the permissions sp=%s of a table signature, and grants those that are known',
    async (sp) => {
      const table = await withTable();
      const path = withAccess(`/${table}`, tableAccess(table, { sp }));

      const answer = await client.get(path, { auth: 'none' });

      expect(answer.status).toBe(sp.includes('r') ? 200 : 403);
    },
  );
});
