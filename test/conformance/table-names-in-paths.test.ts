import { describe, expect, it } from 'vitest';
import { type ErrorDetails, expectTableError } from '../support/answers/expect-error.js';
import { batchTools, expectFailure, insert, update } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';
import { accountAccess, signAccess } from '../support/signatures/sign-access.js';

const length = {
  code: 'OutOfRangeInput',
  message: 'The specified resource name length is not within the permissible limits.',
};
const characters = {
  code: 'InvalidResourceName',
  message: 'The specifed resource name contains invalid characters.',
};

const faults = [
  ['aa', length],
  ['a'.repeat(64), length],
  ['a_', length],
  ['a%2F%2F', length],
  ['1', length],
  ['1table', characters],
  ['my_table', characters],
  ['my-table', characters],
  ['T%C3%A4ble', characters],
  ['a%20table', characters],
  [`1${'a'.repeat(62)}`, characters],
] as const;

describeService('The name of a table in a path', (tools) => {
  const { client, withTable } = tools;
  const { sendChangeSet } = batchTools(tools);
  const keys = "(PartitionKey='p',RowKey='r')";

  describe.each(faults)('%s', (name, { code, message }) => {
    const expectRejected = (answer: Parameters<typeof expectTableError>[0], details: ErrorDetails) =>
      expectTableError(answer, 400, code, { message, ...details });

    it.each([
      ['POST', '', { PartitionKey: 'p', RowKey: 'r' }],
      ['PUT', keys, {}],
      ['MERGE', keys, {}],
      ['PATCH', keys, {}],
      ['DELETE', keys, undefined],
      ['GET', keys, undefined],
      ['GET', '', undefined],
      ['GET', '()', undefined],
    ])('H24 is rejected before the table is looked up: %s /N%s', async (method, rest, body) => {
      for (const prefer of ['return-no-content', undefined] as const) {
        const options = { body, ifMatch: method === 'DELETE' ? '*' : undefined, prefer };
        const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
        expectRejected(await client.send(method, `/${name}${rest}`, given), { set: 'B1' });
      }
    });

    it.each(['GET', 'PUT'])('H25 is rejected in XML with comp=acl: %s', async (method) => {
      const body = method === 'PUT' ? { body: '' } : {};
      const answer = await client.send(method, `/${name}?comp=acl`, { ...body, accept: 'application/xml' });

      expectRejected(answer, { set: 'A3' });
    });

    it('H26 is rejected in a part of a batch, with its position', async () => {
      const first = await sendChangeSet([update('PATCH', `/${name}${keys}`, { A: 1 })]);
      const table = await withTable();
      const second = await sendChangeSet([
        insert(table, { PartitionKey: 'p', RowKey: 'a' }),
        insert(name, { PartitionKey: 'p', RowKey: 'b' }),
      ]);

      const rejected = { status: '400 Bad Request', code, set: 'B1' } as const;
      expectFailure(first, { ...rejected, message: `0:${message}` });
      expectFailure(second, { ...rejected, message: `1:${message}` });
      expect((await client.get(`/${table}`)).rows).toEqual([]);
    });
  });

  it('is checked before the right of a signature', async () => {
    const sas = signAccess(accountAccess({ sp: 'r' }));

    const answer = await client.post(`/my_table?${sas}`, { PartitionKey: 'p', RowKey: 'r' }, { auth: 'none' });

    expectTableError(answer, 400, 'InvalidResourceName', { set: 'B1' });
  });

  it.each(['abc', 'a'.repeat(63), 'A1b'])('is looked up if a table can have it: %s', async (name) => {
    expectTableError(await client.get(`/${name}`), 404, 'TableNotFound', { set: 'B1' });
  });

  it('is not checked by operations on a table as an entry of the list of tables', async () => {
    for (const name of ['aa', 'my_table']) {
      expectTableError(await client.get(`/Tables('${name}')`), 404, 'ResourceNotFound');
      expectTableError(await client.delete(`/Tables('${name}')`), 404, 'ResourceNotFound');
    }
  });
});
