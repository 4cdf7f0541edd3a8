import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Update Entity and Insert Or Replace Entity', ({ client, withEntity, withTable, service }) => {
  const namesAt = async (path: string) => Object.keys((await client.get(path)).json).slice(5);

  it('U8: PUT sorts by code unit, upper case first', async () => {
    const { path } = await withEntity();

    await client.put(path, { b: 1, B: 2, _x: 3, é: 4 });

    expect(await namesAt(path)).toEqual(['B', '_x', 'b', 'é']);
  });

  it('U9: PUT removes the properties that are missing or null in the body', async () => {
    const { path } = await withEntity({ A: 'x', B: 'y', C: 'z' });

    await client.put(path, { B: null, C: 'new' }, { ifMatch: '*' });

    expect(await namesAt(path)).toEqual(['C']);
  });

  it.each([
    ['PropertyNameTooLong', { ['n'.repeat(256)]: 1 }],
    ['PropertyValueTooLarge', { S: 's'.repeat(32_769) }],
    ['EntityTooLarge', Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`S${at}`, 's'.repeat(30_000)]))],
  ])('rejects an update with %s', async (code, body) => {
    const { path } = await withEntity();

    const answer = await client.put(path, body, { ifMatch: '*' });

    expectTableError(answer, 400, code, { set: 'B2' });
  });

  it('writes an entity with empty keys, which a read finds', async () => {
    const table = await withTable();

    await client.put(`/${table}(PartitionKey='',RowKey='')`, { A: 1 });

    const answer = await client.get(`/${table}(PartitionKey='',RowKey='')`);
    expect(answer.json).toMatchObject({
      'odata.metadata': `${service().base}/$metadata#${table}/@Element`,
      PartitionKey: '',
      RowKey: '',
      A: 1,
    });
  });
});
