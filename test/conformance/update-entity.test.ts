import { expect, it } from 'vitest';
import { describeService } from '../support/describe-service.js';
import { etagForm, expectSuccess } from '../support/expect-answer.js';
import { expectTableError } from '../support/expect-error.js';

const verbs = ['PUT', 'PATCH', 'MERGE'] as const;

describeService('Update, merge and upserts', ({ client, withEntity, withTable, service }) => {
  const namesAt = async (path: string) => Object.keys((await client.get(path)).json).slice(5);

  it.each(verbs)('U1 and U5: %s of an entity answers 204 with a new tag and no Location', async (verb) => {
    const { path, etag } = await withEntity();

    const answer = await client.send(verb, path, { body: { A: 'y' }, ifMatch: '*' });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect(answer.headers['etag']).not.toBe(etag);
    expect((await client.get(path)).json).toMatchObject({ 'odata.etag': answer.headers['etag'], A: 'y' });
  });

  it.each(verbs)('U1: %s takes the current tag', async (verb) => {
    const { path, etag } = await withEntity();

    const answer = await client.send(verb, path, { body: { A: 'y' }, ifMatch: etag });

    expectSuccess(answer, 204, { ETag: etagForm });
  });

  it.each(verbs)('U2: %s without If-Match creates the entity, and still says no Location', async (verb) => {
    const table = await withTable();
    const path = `/${table}(PartitionKey='p',RowKey='r')`;

    const answer = await client.send(verb, path, { body: { PartitionKey: 'p', RowKey: 'r', A: 'x' } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(path)).json).toMatchObject({ PartitionKey: 'p', RowKey: 'r', A: 'x' });
  });

  it.each(verbs)('U2: %s without If-Match takes an entity that is there', async (verb) => {
    const { path } = await withEntity({ A: 'x' });

    const answer = await client.send(verb, path, { body: { A: 'y' } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(path)).json).toMatchObject({ A: 'y' });
  });

  it.each(['PATCH', 'MERGE'])('U7: %s sorts all properties, the old ones too', async (verb) => {
    const { path } = await withEntity({ z: 1, a: 2 });

    await client.send(verb, path, { body: { b: 3 } });

    expect(await namesAt(path)).toEqual(['a', 'b', 'z']);
  });

  it('U8: PUT sorts by code unit, upper case first', async () => {
    const { path } = await withEntity();

    await client.put(path, { b: 1, B: 2, _x: 3, é: 4 });

    expect(await namesAt(path)).toEqual(['B', '_x', 'b', 'é']);
  });

  it('U9: PUT drops what the body lacks, and nulls', async () => {
    const { path } = await withEntity({ A: 'x', B: 'y', C: 'z' });

    await client.put(path, { B: null, C: 'new' }, { ifMatch: '*' });

    expect(await namesAt(path)).toEqual(['C']);
  });

  it.each(['PATCH', 'MERGE'])('U10: a null in a %s is no mention', async (verb) => {
    const { path } = await withEntity({ a: 'kept', b: 'old' });

    await client.send(verb, path, { body: { a: null, b: 'new' } });

    expect((await client.get(path)).json).toMatchObject({ a: 'kept', b: 'new' });
  });

  it.each(verbs)('U11: %s writes under the key of the address, whatever the body says', async (verb) => {
    const table = await withTable();
    const path = `/${table}(PartitionKey='a%27%27%27%27b',RowKey='a%27%27%27%27b')`;

    const answer = await client.send(verb, path, { body: { PartitionKey: "a''''b", RowKey: "a''''b", A: 1 } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect((await client.get(`/${table}`)).rows).toMatchObject([{ PartitionKey: "a''b", RowKey: "a''b", A: 1 }]);
  });

  it.each(verbs)('U12 and U13: %s of no property at all gives a new tag', async (verb) => {
    const { path, etag } = await withEntity({ A: 'x' });

    const answer = await client.send(verb, path, { body: {}, ifMatch: '*' });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect(answer.headers['etag']).not.toBe(etag);
    expect(await namesAt(path)).toEqual(verb === 'PUT' ? [] : ['A']);
  });

  it('U14: a merge that makes more than 252 properties changes nothing', async () => {
    const numbered = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`P${from + at}`, 1]));
    const { path, etag } = await withEntity(numbered(0, 252));

    const full = await client.patch(path, numbered(100, 252));
    const tooMany = await client.patch(path, { Q: 1 });

    expectSuccess(full, 204, { ETag: etagForm });
    expectTableError(tooMany, 400, 'TooManyProperties', { set: 'B2' });
    expect((await client.get(path)).headers['etag']).toBe(full.headers['etag']);
    expect(full.headers['etag']).not.toBe(etag);
  });

  it.each([
    ['PropertyNameTooLong', { ['n'.repeat(256)]: 1 }],
    ['PropertyValueTooLarge', { S: 's'.repeat(32_769) }],
    ['EntityTooLarge', Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`S${at}`, 's'.repeat(30_000)]))],
  ])('refuses an update with %s', async (code, body) => {
    const { path } = await withEntity();

    const answer = await client.put(path, body, { ifMatch: '*' });

    expectTableError(answer, 400, code, { set: 'B2' });
  });

  it('refuses a merge that makes the entity too large', async () => {
    const half = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${prefix}${at}`, 's'.repeat(30_000)]));
    const { path } = await withEntity(half('A'));

    const answer = await client.patch(path, half('B'));

    expectTableError(answer, 400, 'EntityTooLarge', { set: 'B2' });
  });

  it.each(verbs)('U15: %s refuses a value that does not fit its type', async (verb) => {
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

  it.each(verbs)('U20: %s of the same content gives another tag and a later Timestamp', async (verb) => {
    const { path } = await withEntity({ A: 'x' });
    await client.send(verb, path, { body: { A: 'x' } });
    const before = await client.get(path);

    await client.send(verb, path, { body: { A: 'x' } });

    const after = await client.get(path);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    expect(fullTicks(after.json['Timestamp']) > fullTicks(before.json['Timestamp'])).toBe(true);
  });

  it.each([...verbs, 'DELETE'].flatMap((verb) => ['%23', '%3F', '%1F', '%C2%85'].map((sign) => [verb, sign] as const)))(
    'U22: %s refuses %s in the key of the address',
    async (verb, sign) => {
      const table = await withTable();

      const answer = await client.send(verb, `/${table}(PartitionKey='a${sign}b',RowKey='r')`, {
        ...(verb === 'DELETE' ? { ifMatch: '*' } : { body: {} }),
      });

      expectTableError(answer, 400, 'OutOfRangeInput', {
        set: 'B1',
        message: 'One of the request inputs is out of range.',
      });
    },
  );

  it('reads an entity by the key it was written with', async () => {
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

/** A Timestamp with all its seven digits, so that texts compare as instants do. */
function fullTicks(timestamp: unknown): string {
  const [whole = '', fraction = ''] = String(timestamp).slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(7, '0')}`;
}
