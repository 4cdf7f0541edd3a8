import { expect, it } from 'vitest';
import { describeService } from '../support/describe-service.js';
import { expectTableError } from '../support/expect-error.js';

/** A tag that was never given. */
const staleTag = `W/"datetime'2011-05-12T23%3A12%3A32.3742797Z'"`;

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
  )('U4: %s with If-Match: %s misses an entity that is not there', async (verb, ifMatch) => {
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

  it.each([...verbs, 'DELETE'].flatMap((verb) => ['abc', '"a", "b"', 'W/"a'].map((tag) => [verb, tag] as const)))(
    'U16: %s refuses If-Match: %s',
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

  it('refuses If-None-Match on a write', async () => {
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
  )('U21: %s with If-Match: %s misses the table with TableNotFound', async (verb = '', ifMatch) => {
    const answer = await client.send(verb, "/nope(PartitionKey='p',RowKey='r')", {
      ...(verb !== 'DELETE' && { body: {} }),
      ...(ifMatch !== undefined && { ifMatch }),
    });

    expectTableError(answer, 404, 'TableNotFound', { set: 'B1' });
  });
});
