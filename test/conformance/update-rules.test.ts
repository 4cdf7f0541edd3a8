import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

/** Update Entity is PUT, Merge Entity is PATCH or MERGE. Without `If-Match` they are the upserts. */
const verbs = ['PUT', 'PATCH', 'MERGE'] as const;

describeService('Update Entity, Merge Entity and both upserts', ({ client, withEntity, withTable }) => {
  const namesAt = async (path: string) => Object.keys((await client.get(path)).json).slice(5);

  it.each(verbs)('U1 and U5: %s of an entity answers 204 with a new tag and no Location', async (verb) => {
    const { path, etag } = await withEntity();

    const answer = await client.send(verb, path, { body: { A: 'y' }, ifMatch: '*' });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect(answer.headers['etag']).not.toBe(etag);
    expect((await client.get(path)).json).toMatchObject({ 'odata.etag': answer.headers['etag'], A: 'y' });
  });

  it.each(verbs)('U1: %s accepts the current tag', async (verb) => {
    const { path, etag } = await withEntity();

    const answer = await client.send(verb, path, { body: { A: 'y' }, ifMatch: etag });

    expectSuccess(answer, 204, { ETag: etagForm });
  });

  it.each(verbs)('U2: %s without If-Match creates the entity, and answers without Location', async (verb) => {
    const table = await withTable();
    const path = `/${table}(PartitionKey='p',RowKey='r')`;

    const answer = await client.send(verb, path, { body: { PartitionKey: 'p', RowKey: 'r', A: 'x' } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(path)).json).toMatchObject({ PartitionKey: 'p', RowKey: 'r', A: 'x' });
  });

  it.each(verbs)('U2: %s without If-Match updates an existing entity', async (verb) => {
    const { path } = await withEntity({ A: 'x' });

    const answer = await client.send(verb, path, { body: { A: 'y' } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(path)).json).toMatchObject({ A: 'y' });
  });

  it.each(verbs)('U11: %s uses the key of the address, and ignores the keys in the body', async (verb) => {
    const table = await withTable();
    const path = `/${table}(PartitionKey='a%27%27%27%27b',RowKey='a%27%27%27%27b')`;

    const answer = await client.send(verb, path, { body: { PartitionKey: "a''''b", RowKey: "a''''b", A: 1 } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(`/${table}`)).rows).toMatchObject([{ PartitionKey: "a''b", RowKey: "a''b", A: 1 }]);
  });

  it.each(verbs)('U12 and U13: %s without any property issues a new tag', async (verb) => {
    const { path, etag } = await withEntity({ A: 'x' });

    const answer = await client.send(verb, path, { body: {}, ifMatch: '*' });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect(answer.headers['etag']).not.toBe(etag);
    expect(await namesAt(path)).toEqual(verb === 'PUT' ? [] : ['A']);
  });

  it.each(verbs)('U15: %s rejects a value that does not fit its type', async (verb) => {
    const { path } = await withEntity();

    const answer = await client.send(verb, path, {
      body: { 'l@odata.type': 'Edm.Int64', l: '9223372036854775808' },
      ifMatch: '*',
    });

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: 'An error occurred while processing this request.',
    });
  });

  it.each(verbs)('U20: %s of the same content issues another tag and a later Timestamp', async (verb) => {
    const { path } = await withEntity({ A: 'x' });
    await client.send(verb, path, { body: { A: 'x' } });
    const before = await client.get(path);

    await client.send(verb, path, { body: { A: 'x' } });

    const after = await client.get(path);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    expect(fullTicks(after.json['Timestamp']) > fullTicks(before.json['Timestamp'])).toBe(true);
  });

  it.each(verbs.flatMap((verb) => ['%23', '%3F', '%C2%85'].map((sign) => [verb, sign] as const)))(
    'U22: %s rejects %s in the key of the address',
    async (verb, sign) => {
      const table = await withTable();

      const answer = await client.send(verb, `/${table}(PartitionKey='a${sign}b',RowKey='r')`, { body: {} });

      expectTableError(answer, 400, 'OutOfRangeInput', {
        set: 'B2',
        message: 'One of the request inputs is out of range.',
      });
    },
  );
});

/** Returns a Timestamp with seven fraction digits, so that texts compare like instants. */
function fullTicks(timestamp: unknown): string {
  const [whole = '', fraction = ''] = String(timestamp).slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(7, '0')}`;
}
