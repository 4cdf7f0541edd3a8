import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

/** A tag that the service never issued. */
const staleTag = `W/"datetime'2011-05-12T23%3A12%3A32.3742797Z'"`;

const notOneWeakTag = [
  'abc',
  '"a", "b"',
  'W/"a',
  '"wrong"',
  '"*"',
  '""',
  `W/"datetime'2011-05-12T23%3A12%3A32Z'", W/"datetime'2011-05-12T23%3A12%3A33Z'"`,
  `"datetime'2011-05-12T23%3A12%3A32Z'"`,
  `w/"datetime'2011-05-12T23%3A12%3A32Z'"`,
];

/** The first is the recorded one. The last has an eighth fraction digit, which no entity can have. */
const tagsWithoutInstant = [
  `W/"datetime''2017-04-01T01%3A07%3A23.8881885Z''"`,
  'W/"0x5B168C7B6E589D2"',
  'W/""',
  'W/"wrong"',
  `W/"datetime'2017-04-31T01%3A07%3A23Z'"`,
  `W/"datetime'yesterday'"`,
  `W/"datetime'2017-04-01T01%3A07%3A23.88818851Z'"`,
];

const verbs = ['PUT', 'PATCH', 'MERGE'] as const;

describeService('If-Match', ({ client, withEntity, withTable }) => {
  it.each([...verbs, 'DELETE'])('U3 and U18: %s with a stale tag changes nothing', async (verb) => {
    const { path } = await withEntity({ A: 'x' });
    const before = await client.get(path);

    const answer = await client.send(verb, path, {
      ifMatch: staleTag,
      ...(verb !== 'DELETE' && { body: { A: 'y' } }),
    });

    expectTableError(answer, 412, 'UpdateConditionNotSatisfied', {
      set: 'B2',
      message: 'The update condition specified in the request was not satisfied.',
    });
    expect((await client.get(path)).body).toBe(before.body);
  });

  it.each(
    [...verbs, 'DELETE'].flatMap((verb) => [
      [verb, '*'],
      [verb, staleTag],
    ]),
  )('U4: %s with If-Match: %s answers ResourceNotFound for a missing entity', async (verb, ifMatch) => {
    const table = await withTable();

    const answer = await client.send(verb, `/${table}(PartitionKey='p',RowKey='r')`, {
      ifMatch,
      ...(verb !== 'DELETE' && { body: { A: 'y' } }),
    });

    expectTableError(answer, 404, 'ResourceNotFound', {
      set: 'B2',
      message: 'The specified resource does not exist.',
    });
  });

  it.each([...verbs, 'DELETE'].flatMap((verb) => notOneWeakTag.map((tag) => [verb, tag] as const)))(
    'U16: %s rejects If-Match: %s, which is not one weak tag',
    async (verb, ifMatch) => {
      const { path } = await withEntity();

      const answer = await client.send(verb, path, { ifMatch, ...(verb !== 'DELETE' && { body: {} }) });

      expectTableError(answer, 400, 'InvalidInput', {
        set: 'B1',
        message:
          `The etag value '${ifMatch}' specified in one of the request headers is not valid. ` +
          'Please make sure only one etag value is specified and is valid.',
      });
    },
  );

  it.each([...verbs, 'DELETE'].flatMap((verb) => tagsWithoutInstant.map((tag) => [verb, tag] as const)))(
    'U25 %s with If-Match: %s, a weak tag without an instant, answers ConditionNotMet',
    async (verb, ifMatch) => {
      const { path } = await withEntity();

      const answer = await client.send(verb, path, { ifMatch, ...(verb !== 'DELETE' && { body: {} }) });

      expectTableError(answer, 412, 'ConditionNotMet', {
        set: 'B1',
        message: 'The condition specified using HTTP conditional header(s) is not met.',
      });
    },
  );

  it.each([...verbs, 'DELETE'])('%s with an instant before 1601 treats the tag as stale', async (verb) => {
    const { path } = await withEntity();

    const answer = await client.send(verb, path, {
      ifMatch: `W/"datetime'0001-01-01T00%3A00%3A00.0000000Z'"`,
      ...(verb !== 'DELETE' && { body: {} }),
    });

    expectTableError(answer, 412, 'UpdateConditionNotSatisfied');
  });

  it('rejects If-None-Match on a write', async () => {
    const { path } = await withEntity();

    const answer = await client.put(path, {}, { headers: { 'If-None-Match': '*' } });

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: 'If-None-Match HTTP header cannot be specified for PUT operations.',
    });
  });

  it.each(
    [...verbs, 'DELETE']
      .flatMap((verb) => [
        [verb, '*'],
        [verb, undefined],
      ])
      .filter(([verb, ifMatch]) => verb !== 'DELETE' || ifMatch),
  )('U21: %s with If-Match: %s answers TableNotFound for a missing table', async (verb = '', ifMatch) => {
    const answer = await client.send(verb, "/nope(PartitionKey='p',RowKey='r')", {
      ...(verb !== 'DELETE' && { body: {} }),
      ...(ifMatch !== undefined && { ifMatch }),
    });

    expectTableError(answer, 404, 'TableNotFound', { set: 'B1' });
  });
});
