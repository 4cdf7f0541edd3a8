import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('X-HTTP-Method', ({ client, withEntity }) => {
  it.each([
    ['MERGE', ['A', 'B']],
    ['PATCH', ['A', 'B']],
    ['PUT', ['B']],
  ])('U6: a POST can replace %s', async (verb, left) => {
    const { path } = await withEntity({ A: 'x' });

    const answer = await client.post(path, { B: 'y' }, { ifMatch: '*', headers: { 'X-HTTP-Method': verb } });

    expectSuccess(answer, 204, { ETag: etagForm });
    expect(Object.keys((await client.get(path)).json).slice(5)).toEqual(left);
  });

  it('U6: a POST can replace DELETE', async () => {
    const { path } = await withEntity();

    const answer = await client.post(path, undefined, { ifMatch: '*', headers: { 'X-HTTP-Method': 'DELETE' } });

    expectSuccess(answer, 204);
    expect((await client.get(path)).status).toBe(404);
  });

  it('U23 rejects X-HTTP-Method with a verb other than POST', async () => {
    const { path } = await withEntity();

    const answer = await client.get(path, { headers: { 'X-HTTP-Method': 'MERGE' } });

    expectTableError(answer, 400, 'XMethodNotUsingPost', { set: 'B1' });
  });

  it('U23 rejects an unknown X-HTTP-Method', async () => {
    const { path } = await withEntity();

    const answer = await client.post(path, {}, { headers: { 'X-HTTP-Method': 'FOO' } });

    expectTableError(answer, 400, 'XMethodIncorrectValue', { set: 'B1' });
  });

  it('U23 rejects two X-HTTP-Methods', async () => {
    const { path } = await withEntity();

    const answer = await client.post(path, {}, { headers: { 'X-HTTP-Method': ['MERGE', 'PUT'] } });

    expectTableError(answer, 400, 'XMethodIncorrectCount', { set: 'B1' });
  });
});
