import { expect, it } from 'vitest';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchTools, insert, readBatchAnswer, update } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const noContent = 'Prefer: return-no-content';

describeService('Prefer on updates', (tools) => {
  const { client, withEntity } = tools;
  const { sendChangeSet } = batchTools(tools);

  it.each(['PUT', 'MERGE', 'PATCH'])('U24 return-no-content is applied to %s, as the answer says', async (method) => {
    const { path } = await withEntity();

    for (const ifMatch of [undefined, '*']) {
      const condition = ifMatch === undefined ? {} : { ifMatch };
      const answer = await client.send(method, path, { body: { A: 1 }, prefer: 'return-no-content', ...condition });

      expectSuccess(answer, 204, { ETag: etagForm, 'Preference-Applied': 'return-no-content' });
    }
  });

  it('U24 return-no-content is applied to a MERGE that is sent as a POST', async () => {
    const { path } = await withEntity();
    const headers = { 'X-HTTP-Method': 'MERGE' };

    const answer = await client.post(path, { A: 1 }, { prefer: 'return-no-content', headers });

    expectSuccess(answer, 204, { ETag: etagForm, 'Preference-Applied': 'return-no-content' });
  });

  it('is not applied to a DELETE', async () => {
    const { path } = await withEntity();

    expectSuccess(await client.delete(path, { prefer: 'return-no-content', ifMatch: '*' }), 204);
  });

  it('is not applied if an update asks for content, which it never has', async () => {
    const { path } = await withEntity();

    expectSuccess(await client.put(path, { A: 1 }, { prefer: 'return-content' }), 204, { ETag: etagForm });
  });

  it('U24 is repeated by errors of the engine, and not by a tag without an instant', async () => {
    const { path } = await withEntity();
    const put = (ifMatch: string) => client.put(path, { A: 1 }, { prefer: 'return-no-content', ifMatch });

    const stale = await put(`W/"datetime'2020-01-01T00%3A00%3A00.0000001Z'"`);
    const malformed = await put(`W/"datetime''2017-04-01T01%3A07%3A23.8881885Z''"`);

    expectTableError(stale, 412, 'UpdateConditionNotSatisfied');
    expectTableError(malformed, 412, 'ConditionNotMet', {
      set: 'B1',
      message: 'The condition specified using HTTP conditional header(s) is not met.',
    });
  });

  it.each(['PUT', 'MERGE', 'PATCH'] as const)('U24 is applied to %s in a change set', async (method) => {
    const { path } = await withEntity();

    const answer = await sendChangeSet([update(method, path, { A: 1 }, noContent, 'Content-ID: 7')]);

    expect(readBatchAnswer(answer).parts.map(({ headers }) => headers)).toEqual([
      [
        ['Content-ID', '7'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Cache-Control', 'no-cache'],
        ['Preference-Applied', 'return-no-content'],
        ['DataServiceVersion', '3.0;'],
        ['ETag', etagForm],
      ],
    ]);
  });

  it('is not repeated by an insert of the same change set that does not ask for it', async () => {
    const { table, path } = await withEntity();

    const answer = await sendChangeSet([
      update('PUT', path, { A: 1 }, noContent),
      insert(table, { PartitionKey: 'p', RowKey: '2' }),
    ]);

    const [first, second] = readBatchAnswer(answer).parts.map(({ headers }) => Object.fromEntries(headers));
    expect(first).toMatchObject({ 'Preference-Applied': 'return-no-content' });
    expect(second).not.toHaveProperty('Preference-Applied');
  });
});
