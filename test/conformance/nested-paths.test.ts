import { expect, it } from 'vitest';
import type { Answer } from '../support/answers/answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('A second segment after a table', ({ client, service, withTable }) => {
  const created = { TableName: 'Created' };

  it('H21 makes a POST an insert into the table, so that a table is not created there', async () => {
    const table = await withTable();

    expectTableError(await client.post('/Missing/Tables', created), 404, 'TableNotFound', { set: 'B1' });
    expectTableError(await client.post(`/${table}/Tables`, created), 400, 'PropertiesNeedValue', { set: 'B2' });
    expectTableError(await client.get("/Tables('Created')"), 404, 'ResourceNotFound');
  });

  it.each(['Tables', 'Tables()', 'Other', '/Tables'])(
    'H21 inserts an entity posted to /T/%s into T',
    async (second) => {
      const table = await withTable();

      const answer = await client.post(`/${table}/${second}`, { PartitionKey: 'p', RowKey: 'r' });

      expect(answer.status, answer.body).toBe(201);
      expect(answer.headers['location']).toBe(`${service().base}/${table}(PartitionKey='p',RowKey='r')`);
      expect((await client.get(`/${table}`)).rows).toHaveLength(1);
    },
  );

  it('H22 takes no batch, whose type an insert does not take', async () => {
    const table = await withTable();
    const body = writeChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r' })]);
    const type = { headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` } };

    for (const accept of ['application/json', 'application/json;odata=minimalmetadata']) {
      const answer = await client.post(`/${table}/$batch`, body, { ...type, accept });
      expectTableError(answer, 415, 'MediaTypeNotSupported', { set: 'B1', level: 'minimalmetadata' });
    }
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it.each(['Tables', 'Tables()', 'Other', "Other(PartitionKey='p',RowKey='r')"])(
    'H27 does not implement a GET of /T/%s',
    async (second) => {
      const table = await withTable();

      for (const query of ['', '?$format=application/json;odata=minimalmetadata', "?$filter=TableName%20eq%20'x'"]) {
        const answer = await client.get(`/${table}/${second}${query}`);
        expectTableError(answer, 501, 'NotImplemented', { set: 'B2', level: 'minimalmetadata' });
      }
    },
  );

  it.each(['', '()', "(PartitionKey='p',RowKey='r')"])('H27 does not implement a GET of /T/T%s', async (keys) => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });

    const answer = await client.get(`/${table}/${table}${keys}`);

    expectTableError(answer, 501, 'NotImplemented', { set: 'B2', level: 'minimalmetadata' });
  });

  it.each<[string, (path: string) => Promise<Answer>, string]>([
    ['a DELETE of /T/Tables', (path) => client.delete(`${path}/Tables('Missing')`), 'Missing'],
    ['a GET of /T/T', (path) => client.get(`${path}/Missing`), 'Missing'],
  ])('H28 answers TableNotFound to %s if T is missing', async (_, send, table) => {
    expectTableError(await send(`/${table}`), 404, 'TableNotFound', { set: 'B1', level: 'minimalmetadata' });
  });

  it('H28 checks the name of T before', async () => {
    expectTableError(await client.get('/a/Tables'), 400, 'OutOfRangeInput', {
      set: 'B1',
      level: 'minimalmetadata',
      message: 'The specified resource name length is not within the permissible limits.',
    });
  });

  it('H23 takes no key alone, because entities have two', async () => {
    const table = await withTable();

    const answer = await client.delete(`/${table}/Tables('${table}')`, { accept: 'application/json' });

    const resource = `${service().account.name}.${table}`;
    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      level: 'minimalmetadata',
      message: `The number of keys specified in the URI does not match number of key properties for the resource '${resource}'.`,
    });
    expect((await client.get(`/Tables('${table}')`)).status).toBe(200);
  });
});
