import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Delete Entity', ({ client, withEntity, withTable }) => {
  it('U17 deletes any version of the entity with If-Match: *', async () => {
    const { path } = await withEntity();

    const answer = await client.delete(path, { ifMatch: '*' });

    expectSuccess(answer, 204);
    expectTableError(await client.get(path), 404, 'ResourceNotFound');
  });

  it('U17 deletes the entity if the tag matches', async () => {
    const { path, etag } = await withEntity();

    const answer = await client.delete(path, { ifMatch: etag });

    expectSuccess(answer, 204);
  });

  it('U17 accepts a tag with unencoded colons', async () => {
    const { path, etag } = await withEntity();

    const answer = await client.delete(path, { ifMatch: etag.replaceAll('%3A', ':') });

    expectSuccess(answer, 204);
  });

  it('U19 rejects to delete without If-Match', async () => {
    const { path } = await withEntity();

    const answer = await client.delete(path);

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    expect((await client.get(path)).status).toBe(200);
  });

  it('deletes one entity and keeps its neighbors', async () => {
    const table = await withTable();
    for (const RowKey of ['1', '2', '3']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });

    await client.delete(`/${table}(PartitionKey='p',RowKey='2')`, { ifMatch: '*' });

    expect((await client.get(`/${table}`)).rows.map(({ RowKey }) => RowKey)).toEqual(['1', '3']);
  });

  it.each(['%23', '%3F', '%C2%85'])('U22 rejects %s in the key of the address', async (sign) => {
    const table = await withTable();

    const answer = await client.delete(`/${table}(PartitionKey='a${sign}b',RowKey='r')`, { ifMatch: '*' });

    expectTableError(answer, 400, 'OutOfRangeInput', {
      set: 'B2',
      message: 'One of the request inputs is out of range.',
    });
  });
});
