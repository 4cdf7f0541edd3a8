import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Delete Table', ({ client, withTable }) => {
  it.each(['*/*', 'application/json', 'application/atom+xml', 'text/html', false] as const)(
    'T14 deletes a table with any Accept: %s',
    async (accept) => {
      const table = await withTable();

      const answer = await client.delete(`/Tables('${table}')`, { accept });

      expectSuccess(answer, 204);
      const after = await client.get(`/Tables('${table}')`);
      expect(after.status).toBe(404);
    },
  );

  it.each(['nope', 'Tables', 'a-b'])('T15 answers ResourceNotFound for the table %s', async (name) => {
    const answer = await client.delete(`/Tables('${name}')`);

    expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
  });

  it('T25 creates a deleted table again, without its entities', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });
    await client.delete(`/Tables('${table}')`);

    const created = await client.post('/Tables', { TableName: table });

    expect(created.status).toBe(201);
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });
});
