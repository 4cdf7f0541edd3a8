import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Merge Entity and Insert Or Merge Entity', ({ client, withEntity }) => {
  const namesAt = async (path: string) => Object.keys((await client.get(path)).json).slice(5);

  it.each(['PATCH', 'MERGE'])('U7: %s sorts all properties, including the old ones', async (verb) => {
    const { path } = await withEntity({ z: 1, a: 2 });

    await client.send(verb, path, { body: { b: 3 } });

    expect(await namesAt(path)).toEqual(['a', 'b', 'z']);
  });

  it.each(['PATCH', 'MERGE'])('U10: %s ignores a null, and the property keeps its value', async (verb) => {
    const { path } = await withEntity({ a: 'kept', b: 'old' });

    await client.send(verb, path, { body: { a: null, b: 'new' } });

    expect((await client.get(path)).json).toMatchObject({ a: 'kept', b: 'new' });
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

  it('rejects a merge that makes the entity too large', async () => {
    const half = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${prefix}${at}`, 's'.repeat(30_000)]));
    const { path } = await withEntity(half('A'));

    const answer = await client.patch(path, half('B'));

    expectTableError(answer, 400, 'EntityTooLarge', { set: 'B2' });
  });
});
