import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const nometadata = 'application/json;odata=nometadata';
const fullmetadata = 'application/json;odata=fullmetadata';

describeService('Create Table', ({ client, withTable, service }) => {
  it('T1 answers 201 with the table and its address, without a tag', async () => {
    const answer = await client.post('/Tables', { TableName: 'T1abc' });

    expectSuccess(answer, 201, { Location: `${service().base}/Tables('T1abc')` });
    expect(answer.body).toBe(`{"odata.metadata":"${service().base}/$metadata#Tables/@Element","TableName":"T1abc"}`);
  });

  it('T1 answers at the requested metadata level', async () => {
    const bare = await client.post('/Tables', { TableName: 'T1none' }, { accept: nometadata });
    const full = await client.post('/Tables', { TableName: 'T1full' }, { accept: fullmetadata });

    const { base } = service();
    expect(bare.body).toBe('{"TableName":"T1none"}');
    expect(full.body).toBe(
      `{"odata.metadata":"${base}/$metadata#Tables/@Element","odata.type":"devstoreaccount1.Tables",` +
        `"odata.id":"${base}/Tables('T1full')","odata.editLink":"Tables('T1full')","TableName":"T1full"}`,
    );
  });

  it('T2 answers 204 with both addresses when the caller prefers no content', async () => {
    const answer = await client.post('/Tables', { TableName: 'T2abc' }, { prefer: 'return-no-content' });

    const url = `${service().base}/Tables('T2abc')`;
    expectSuccess(answer, 204, { Location: url, DataServiceId: url, 'Preference-Applied': 'return-no-content' });
  });

  it('T2 answers 201 with Preference-Applied when the caller prefers content', async () => {
    const answer = await client.post('/Tables', { TableName: 'T2content' }, { prefer: 'return-content' });

    expectSuccess(answer, 201, {
      Location: `${service().base}/Tables('T2content')`,
      'Preference-Applied': 'return-content',
    });
  });

  it.each([
    ['T3', undefined],
    ['T4', 'return-no-content'],
  ] as const)('%s rejects a name that is taken, with Prefer: %s', async (_no, prefer) => {
    const table = await withTable();

    const answer = await client.post('/Tables', { TableName: table }, prefer && { prefer });

    expectTableError(answer, 409, 'TableAlreadyExists', {
      set: 'B2',
      message: 'The table specified already exists.',
    });
  });

  it('T5 compares names regardless of letter case', async () => {
    const table = await withTable();

    const answer = await client.post('/Tables', { TableName: table.toUpperCase() });

    expectTableError(answer, 409, 'TableAlreadyExists');
  });

  it.each([
    ['T6', '啊齄丂'],
    ['T7', 'a-b'],
    ['T7', '1ab'],
    ['T7', 'a_b'],
    ['T7', 'a b'],
  ])('%s rejects the letters of the name %s', async (_no, name) => {
    const answer = await client.post('/Tables', { TableName: name }, { prefer: 'return-no-content' });

    expectTableError(answer, 400, 'InvalidResourceName', {
      set: 'B2',
      message: 'The specifed resource name contains invalid characters.',
    });
  });

  it.each([0, 2, 64])('T8 rejects a name of %i letters', async (length) => {
    const answer = await client.post('/Tables', { TableName: 'a'.repeat(length) });

    expectTableError(answer, 400, 'OutOfRangeInput', {
      set: 'B2',
      message: 'The specified resource name length is not within the permissible limits.',
    });
  });

  it.each([3, 63])('T9 accepts a name of %i letters', async (length) => {
    const answer = await client.post('/Tables', { TableName: 'a'.repeat(length) });

    expect(answer.status).toBe(201);
  });

  it.each(['Tables', 'tables', 'TABLES'])('T10 rejects the reserved name %s', async (name) => {
    const answer = await client.post('/Tables', { TableName: name });

    expectTableError(answer, 400, 'InvalidInput', { set: 'B2', message: 'One of the request inputs is not valid.' });
  });

  it.each([{}, { TableName: null }, { tablename: 'abc' }])('T11 rejects %j, which has no name', async (body) => {
    const answer = await client.post('/Tables', body);

    expectTableError(answer, 400, 'PropertiesNeedValue', { set: 'B2' });
  });

  it.each([{ TableName: 1 }, { TableName: ['abc'] }, { TableName: true }])(
    'rejects %j, whose name is not a string, while it reads the body',
    async (body) => {
      const answer = await client.post('/Tables', body);

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    },
  );

  it('T26 rejects an empty body in words of its own', async () => {
    const answer = await client.post('/Tables', '');

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: 'An error occurred while processing this request.',
    });
  });

  it.each(['{', '[]', '"abc"', '{"TableName":"abc"} x'])(
    'rejects the body %j, which is not an object',
    async (body) => {
      const answer = await client.post('/Tables', body);

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    },
  );

  it.each(['text/plain', 'application/xml'])('rejects a body of type %s', async (type) => {
    const answer = await client.post('/Tables', { TableName: 'abcd' }, { headers: { 'Content-Type': type } });

    expectTableError(answer, 415, 'MediaTypeNotSupported', { set: 'B1' });
  });

  it('accepts Tables() and any letter case of Tables as the collection', async () => {
    const first = await client.post('/Tables()', { TableName: 'viaParentheses' });
    const second = await client.post('/tables', { TableName: 'viaLowerCase' });

    expect([first.status, second.status]).toEqual([201, 201]);
  });
});
