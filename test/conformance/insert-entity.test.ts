import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Insert Entity', ({ client, withTable, withEntity, service }) => {
  it('I1 answers 201 with the entity: the Timestamp third, the other properties in written order', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, '{"PartitionKey":"a","RowKey":"b","z":1,"A":"x","m":true}');

    expectSuccess(answer, 201, {
      ETag: etagForm,
      Location: `${service().base}/${table}(PartitionKey='a',RowKey='b')`,
    });
    expect(Object.keys(answer.json)).toEqual([
      'odata.metadata',
      'odata.etag',
      'PartitionKey',
      'RowKey',
      'Timestamp',
      'z',
      'A',
      'm',
    ]);
  });

  it('I2 answers 204 with both addresses when the caller prefers no content', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { prefer: 'return-no-content' });

    const url = `${service().base}/${table}(PartitionKey='p',RowKey='r')`;
    expectSuccess(answer, 204, {
      ETag: etagForm,
      Location: url,
      DataServiceId: url,
      'Preference-Applied': 'return-no-content',
    });
  });

  it('I3 answers 201 with Preference-Applied when the caller prefers content', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { prefer: 'return-content' });

    expectSuccess(answer, 201, {
      ETag: etagForm,
      Location: `${service().base}/${table}(PartitionKey='p',RowKey='r')`,
      'Preference-Applied': 'return-content',
    });
  });

  it.each([undefined, 'return-content', 'return-no-content'] as const)(
    'I4 rejects keys that exist already, with Prefer: %s',
    async (prefer) => {
      const { table } = await withEntity();

      const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, prefer && { prefer });

      expectTableError(answer, 409, 'EntityAlreadyExists', {
        set: 'B2',
        message: 'The specified entity already exists.',
      });
    },
  );

  it.each([{ PartitionKey: 'p' }, { RowKey: 'r' }, { A: 1 }, {}, { PartitionKey: 'p', RowKey: null }])(
    'I5 rejects %j, which lacks a key',
    async (entity) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, entity, { prefer: 'return-no-content' });

      expectTableError(answer, 400, 'PropertiesNeedValue', {
        set: 'B2',
        message: 'The values are not specified for all properties in the entity.',
      });
    },
  );

  it.each([
    ['I6', { PartitionKey: 'p', RowKey: 1 }],
    ['I6', { PartitionKey: true, RowKey: 'r' }],
    ['I7', { 'PartitionKey@odata.type': 'Edm.DateTime', PartitionKey: '2013-09-09T00:00:00Z', RowKey: 'r' }],
    [
      'I7',
      { 'PartitionKey@odata.type': 'Edm.Guid', PartitionKey: 'c9da6455-213d-42c9-9a79-3e9149a57833', RowKey: 'r' },
    ],
    ['I7', { PartitionKey: 'p', 'RowKey@odata.type': 'Edm.Binary', RowKey: 'AQI=' }],
  ])('%s rejects %j, which has a key that is not a string', async (_no, entity) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, entity, { prefer: 'return-no-content' });

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message: 'One of the request inputs is not valid.' });
  });

  it('I8 accepts a key that is annotated as Edm.String', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, {
      'PartitionKey@odata.type': 'Edm.String',
      PartitionKey: 'p',
      RowKey: 'r',
    });

    expect(answer.status).toBe(201);
  });

  it.each([
    ['I9', { PartitionKey: '', RowKey: 'rk' }, "PartitionKey='',RowKey='rk'"],
    ['I10', { PartitionKey: "a''''b", RowKey: "a''''b" }, "PartitionKey='a''''''''b',RowKey='a''''''''b'"],
    ['I11', { PartitionKey: ':@', RowKey: '=& ' }, "PartitionKey='%3A%40',RowKey='%3D%26%20'"],
    ['I11', { PartitionKey: '+,$', RowKey: '"2' }, "PartitionKey='%2B%2C%24',RowKey='%222'"],
    ['I12', { PartitionKey: 'p', RowKey: '你好' }, "PartitionKey='p',RowKey='%E4%BD%A0%E5%A5%BD'"],
    ['I12', { PartitionKey: 'p', RowKey: "-_.~!*'()" }, "PartitionKey='p',RowKey='-_.~!*''()'"],
  ])('%s answers the address of %j', async (_no, keys, address) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, keys, { accept: 'application/json;odata=fullmetadata' });

    const url = `${service().base}/${table}(${address})`;
    expect(answer.headers['location']).toBe(url);
    expect(answer.json).toMatchObject({ ...keys, 'odata.id': url, 'odata.editLink': `${table}(${address})` });
    expect((await client.get(`/${table}(${address})`)).json).toMatchObject(keys);
  });

  it('I12 and I13 answer in ASCII only: two escapes for an emoji, lower-case hex digits', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: '你好', e: '😀', é: 'ü' });

    expect(answer.body).toContain('"RowKey":"\\u4f60\\u597d"');
    expect(answer.body).toContain('"e":"\\ud83d\\ude00","\\u00e9":"\\u00fc"');
  });

  it('I14 escapes quotes and backslashes, and no other ASCII character', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', s: '/<>&\'"\\' });

    expect(answer.body).toContain(`"s":"/<>&'\\"\\\\"}`);
  });

  it.each(['/', '\\', '#', '?', '\u0001', '\t', '\u007f', '\u0085', '\u009f'])(
    'I15 rejects a key with %j, and names the key in the error',
    async (sign) => {
      const table = await withTable();

      const inPartition = await client.post(`/${table}`, { PartitionKey: `a${sign}b`, RowKey: 'r' });
      const inRow = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: `a${sign}b` });

      expectTableError(inPartition, 400, 'OutOfRangeInput', {
        set: 'B1',
        message: `The 'PartitionKey' parameter of value 'a${sign}b' is out of range.`,
      });
      expectTableError(inRow, 400, 'OutOfRangeInput', {
        set: 'B1',
        message: `The 'RowKey' parameter of value 'a${sign}b' is out of range.`,
      });
    },
  );

  it('I47 answers TableNotFound for a missing table, without Preference-Applied', async () => {
    const answer = await client.post('/nope', { PartitionKey: 'p', RowKey: 'r' }, { prefer: 'return-no-content' });

    expectTableError(answer, 404, 'TableNotFound', { set: 'B1', message: 'The table specified does not exist.' });
  });

  it('I48 answers the new entity with full metadata', async () => {
    const table = await withTable();

    const answer = await client.post(
      `/${table}`,
      { PartitionKey: 'p', RowKey: 'r', 'L@odata.type': 'Edm.Int64', L: '1' },
      { accept: 'application/json;odata=fullmetadata' },
    );

    const url = `${service().base}/${table}(PartitionKey='p',RowKey='r')`;
    expectSuccess(answer, 201, { ETag: etagForm, Location: url });
    expect(Object.entries(answer.json)).toEqual([
      ['odata.metadata', `${service().base}/$metadata#${table}/@Element`],
      ['odata.type', `devstoreaccount1.${table}`],
      ['odata.id', url],
      ['odata.etag', answer.headers['etag']],
      ['odata.editLink', `${table}(PartitionKey='p',RowKey='r')`],
      ['PartitionKey', 'p'],
      ['RowKey', 'r'],
      ['Timestamp@odata.type', 'Edm.DateTime'],
      ['Timestamp', expect.any(String)],
      ['L@odata.type', 'Edm.Int64'],
      ['L', '1'],
    ]);
  });

  it('I49 writes tag and address into the headers only with nometadata', async () => {
    const table = await withTable();

    const answer = await client.post(
      `/${table}`,
      { PartitionKey: 'p', RowKey: 'r', 'L@odata.type': 'Edm.Int64', L: '1' },
      { accept: 'application/json;odata=nometadata' },
    );

    const url = `${service().base}/${table}(PartitionKey='p',RowKey='r')`;
    expectSuccess(answer, 201, { ETag: etagForm, Location: url });
    expect(Object.keys(answer.json)).toEqual(['PartitionKey', 'RowKey', 'Timestamp', 'L']);
  });

  it('I50 writes the same instant into tag, header and Timestamp', async () => {
    const table = await withTable();

    const { headers, json } = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });

    const tag = `W/"datetime'${String(json['Timestamp']).replaceAll(':', '%3A')}'"`;
    expect([headers['etag'], json['odata.etag']]).toEqual([tag, tag]);
  });

  it('I50 issues different tags to concurrently inserted entities', async () => {
    const table = await withTable();

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => client.post(`/${table}`, { PartitionKey: 'p', RowKey: `${at}` })),
    );

    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(50);
  });

  it('accepts the address of the table with parentheses', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}()`, { PartitionKey: 'p', RowKey: 'r' });

    expect(answer.status).toBe(201);
  });
});
