import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { withQuery } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Get Entity', ({ client, withEntity, withTable, service }) => {
  it('G1 answers with the entity, and the same tag in header and body', async () => {
    const { table, path, etag } = await withEntity({ A: 'x' });

    const answer = await client.get(path);

    expectSuccess(answer, 200, { ETag: etagForm });
    expect(answer.headers['etag']).toBe(etag);
    expect(Object.entries(answer.json)).toEqual([
      ['odata.metadata', `${service().base}/$metadata#${table}/@Element`],
      ['odata.etag', etag],
      ['PartitionKey', 'p'],
      ['RowKey', 'r'],
      ['Timestamp', expect.any(String)],
      ['A', 'x'],
    ]);
  });

  it.each([
    ['RowKey first', (table: string) => `/${table}(RowKey='r',PartitionKey='p')`],
    ['a blank after the comma', (table: string) => `/${table}(PartitionKey='p',%20RowKey='r')`],
    ['the table in another case', (table: string) => `/${table.toLowerCase()}(PartitionKey='p',RowKey='r')`],
    ['every character encoded', (table: string) => `/${table}%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29`],
  ])('G2 finds the entity at an address with %s', async (_kind, addressOf) => {
    const { table, etag } = await withEntity();

    const answer = await client.get(addressOf(table));

    expect(answer.headers['etag']).toBe(etag);
  });

  it.each(["PartitionKey='p',RowKey='other'", "PartitionKey='other',RowKey='r'", "PartitionKey='P',RowKey='r'"])(
    'G3 answers ResourceNotFound for a missing entity: %s',
    async (keys) => {
      const { table } = await withEntity();

      const answer = await client.get(`/${table}(${keys})`);

      expectTableError(answer, 404, 'ResourceNotFound', {
        set: 'B2',
        message: 'The specified resource does not exist.',
      });
    },
  );

  it('G4 answers TableNotFound for a missing table', async () => {
    const answer = await client.get("/nope(PartitionKey='p',RowKey='r')");

    expectTableError(answer, 404, 'TableNotFound', { set: 'B1', message: 'The table specified does not exist.' });
  });

  it('G5 reads a doubled quote, plain or percent-encoded', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: "it's", RowKey: "''" });

    const raw = await client.get(`/${table}(PartitionKey='it''s',RowKey='''''')`);
    const encoded = await client.get(`/${table}(PartitionKey='it%27%27s',RowKey='%27%27%27%27')`);

    expect(raw.json).toMatchObject({ PartitionKey: "it's", RowKey: "''" });
    expect(encoded.body).toBe(raw.body);
  });

  it.each([
    [
      "PartitionKey='one',RowKey='two'three'",
      "There is an unterminated string literal at position 37 in 'PartitionKey='one',RowKey='two'three''.",
    ],
    [
      "PartitionKey='a'b%22',RowKey='r'",
      `Syntax error: character '"' is not valid at position 17 in 'PartitionKey='a'b"',RowKey='r''.`,
    ],
    ["PartitionKey='O'Hara',RowKey='r'", 'Bad Request - Error in query syntax.'],
  ])('rejects a quote that is not doubled, with the text of a filter: %s [operations 1.2]', async (keys, message) => {
    const table = await withTable();

    for (const send of [client.get, client.delete]) {
      const answer = await send.call(client, `/${table}(${keys})`);

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message });
    }
  });

  it.each(['+', '%2B'])('G6 reads %s in a path as a plus', async (plus) => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'a+b', RowKey: 'r' });

    const answer = await client.get(`/${table}(PartitionKey='a${plus}b',RowKey='r')`);

    expect(answer.json['PartitionKey']).toBe('a+b');
  });

  it.each(['%2F', '%2f', '%5C'])('G7 rejects %s in a key', async (sign) => {
    const { table } = await withEntity();

    const answer = await client.get(`/${table}(PartitionKey='a${sign}b',RowKey='r')`);

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message: 'Bad Request - Error in query syntax.' });
  });

  it.each(['%23', '%3F', '%C2%85'])('G8 finds no entity whose key has %s', async (sign) => {
    const { table } = await withEntity();

    const answer = await client.get(`/${table}(PartitionKey='a${sign}b',RowKey='r')`);

    expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
  });

  it.each([
    "(PartitionKey='p',RowKey='r'",
    "(PartitionKey='p')",
    "(PartitionKey=p,RowKey='r')",
    "(partitionkey='p',rowkey='r')",
    "(PartitionKey='p',RowKey='r')x",
    "(PartitionKey='p',PartitionKey='p')",
    '(1)',
  ])('rejects the key syntax of T%s', async (key) => {
    const { table } = await withEntity();

    const answer = await client.get(`/${table}${key}`);

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message: 'Bad Request - Error in query syntax.' });
  });

  it('rejects broken percent-encoding', async () => {
    const answer = await client.get("/abc(PartitionKey='%ff',RowKey='r')");

    expectTableError(answer, 400, 'RequestUrlFailedToParse', { set: 'A3', type: 'application/json' });
  });

  it('G9 answers selected properties in the order of the service, and repeats the list as sent', async () => {
    const { table, path, etag } = await withEntity({ foo: 1, baz: 2 });

    const answer = await client.get(`${path}?$select=baz,PartitionKey,RowKey`);

    expectSuccess(answer, 200, { ETag: etag });
    expect(Object.entries(answer.json)).toEqual([
      ['odata.metadata', `${service().base}/$metadata#${table}/@Element&$select=baz,PartitionKey,RowKey`],
      ['odata.etag', etag],
      ['PartitionKey', 'p'],
      ['RowKey', 'r'],
      ['baz', 2],
    ]);
  });

  it('G10 answers a plain null for a missing property, in its sorted position', async () => {
    const { path } = await withEntity({ sex: 'male', age: 39 });

    const answer = await client.get(`${path}?$select=sex,xyz,age,rev`);

    expect(answer.body).toMatch(/,"age":39,"rev":null,"sex":"male","xyz":null\}$/);
  });

  it('G11 selects only the Timestamp', async () => {
    const { path } = await withEntity();

    const answer = await client.get(`${path}?$select=Timestamp`);

    expect(Object.keys(answer.json)).toEqual(['odata.metadata', 'odata.etag', 'Timestamp']);
  });

  it.each(['', '*'])('G11 treats $select=%s as everything', async (list) => {
    const { table, path } = await withEntity({ z: 1, a: 2 });

    const answer = await client.get(`${path}?$select=${list}`);

    expect(answer.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}/@Element&$select=${list}`);
    expect(Object.keys(answer.json).slice(2)).toEqual(['PartitionKey', 'RowKey', 'Timestamp', 'z', 'a']);
  });

  it.each(['', '%20', '%20%20'])('G14 treats a $select of the blanks "%s" as an empty one', async (list) => {
    const { table, path } = await withEntity({ z: 1, a: 2 });

    const answer = await client.get(`${path}?$select=${list}`);

    expect(answer.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}/@Element&$select=`);
    expect(Object.keys(answer.json).slice(2)).toEqual(['PartitionKey', 'RowKey', 'Timestamp', 'z', 'a']);
  });

  it('G15 accepts a comma at the end of $select, and repeats it as sent', async () => {
    const { table, path } = await withEntity({ z: 1, a: 2 });

    const answer = await client.get(`${path}?$select=z,a,`);

    expect(answer.json['odata.metadata']).toBe(`${service().base}/$metadata#${table}/@Element&$select=z,a,`);
    expect(Object.keys(answer.json).slice(2)).toEqual(['a', 'z']);
  });

  it.each([
    ["['age,%20sex']", 0],
    ['1', 0],
    [',', 0],
    ['age,%201', 5],
    ['a,,b', 2],
  ])('G16 rejects $select=%s, and names position %i', async (list, position) => {
    const { path } = await withEntity();

    const answer = await client.get(`${path}?$select=${list}`);

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: `An identifier was expected at position ${position}.`,
    });
  });

  it.each(['A eq 1', "PartitionKey eq 'p' and not (B eq 1)", ''])(
    'G17 finds the entity if it matches %j',
    async (filter) => {
      const { path, etag } = await withEntity({ A: 1 });

      const answer = await client.get(withQuery(path, { $filter: filter, $select: 'Other' }));

      expectSuccess(answer, 200, { ETag: etag });
    },
  );

  it.each(['A eq 2', 'B eq 1', 'not (A eq 1)', "RowKey eq 'other'"])(
    'G17 does not find the entity if it does not match %s',
    async (filter) => {
      const { path } = await withEntity({ A: 1 });

      const answer = await client.get(withQuery(path, { $filter: filter }));

      expectTableError(answer, 404, 'ResourceNotFound');
    },
  );

  it('G17 rejects a filter that cannot be read, before the table is looked up', async () => {
    const path = "/nope(PartitionKey='p',RowKey='r')";

    const unreadable = await client.get(withQuery(path, { $filter: 'A B' }));
    const unsupported = await client.get(withQuery(path, { $filter: 'A eq B' }));

    const message = "Syntax error at position 3 in 'A B'.";
    expectTableError(unreadable, 400, 'InvalidInput', { set: 'B1', message });
    expectTableError(unsupported, 501, 'NotImplemented');
  });

  it.each(['A/B', 'A-B'])('rejects $select=%s', async (list) => {
    const { path } = await withEntity();

    const answer = await client.get(`${path}?$select=${list}`);

    expectTableError(answer, 400, 'InvalidInput');
  });

  it('G12 answers 200 with any If-None-Match', async () => {
    const { path } = await withEntity();

    const answer = await client.get(path, {
      headers: { 'If-None-Match': `W/"datetime'2011-05-12T23%3A12%3A32.3742797Z'"` },
    });

    expect(answer.status).toBe(200);
  });

  it('G13 writes no annotations with nometadata', async () => {
    const { path } = await withEntity({
      'L@odata.type': 'Edm.Int64',
      L: '5432873627392',
      'T@odata.type': 'Edm.DateTime',
      T: '2014-05-07T08:20:53Z',
      'G@odata.type': 'Edm.Guid',
      G: 'dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2',
    });

    const answer = await client.get(path, { accept: 'application/json;odata=nometadata' });

    expect(answer.json).toEqual({
      PartitionKey: 'p',
      RowKey: 'r',
      Timestamp: expect.any(String),
      L: '5432873627392',
      T: '2014-05-07T08:20:53Z',
      G: 'dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2',
    });
  });
});
