import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchTools, expectFailure, insert, type PartRequest, readBatchAnswer } from '../support/bodies/batch-tools.js';
import { envelopesWithoutBoundary, hostileEnvelopes } from '../support/hostile/hostile-envelopes.js';
import { shortenTurns } from '../support/measures/short-turns.js';
import { describeService } from '../support/servers/describe-service.js';
import { externalService } from '../support/servers/external-service.js';

describeService('Entity Group Transaction from a hostile client', (tools) => {
  const { client, withTable } = tools;
  const { sendBody, sendChangeSet } = batchTools(tools);

  it.each(hostileEnvelopes.map((envelope) => [envelope.name, envelope] as const))(
    'is rejected as a whole if it contains %s',
    async (_, { body, contentType }) => {
      const answer = await sendBody(body, { headers: { 'Content-Type': contentType } });

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    },
  );

  it.each(envelopesWithoutBoundary.map((envelope) => [envelope.name, envelope] as const))(
    'B31 is answered with no part if it contains %s',
    async (_, { body, contentType }) => {
      const answer = await sendBody(body, { headers: { 'Content-Type': contentType } });

      expect(readBatchAnswer(answer)).toEqual({ inChangeSet: false, parts: [] });
    },
  );

  it('is rejected as a whole if it is not text', async () => {
    const bytes = Buffer.concat([
      Buffer.from('--b\r\n'),
      Buffer.from(Uint8Array.from({ length: 65_536 }, (_, at) => (at * 7919) % 256)),
      Buffer.from('\r\n--b--'),
    ]);

    const answer = await client.post('/$batch', bytes, {
      headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
    });

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
  });

  it.each([101, 10_000])('is rejected at index 99 if it has %i operations', async (count) => {
    const table = await withTable();
    const parts = Array.from({ length: count }, (_, row) => insert(table, { PartitionKey: 'p', RowKey: `${row}` }));

    const answer = await sendChangeSet(parts);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: '99:The batch request operation exceeds the maximum 100 changes per change set.',
      set: 'B2',
    });
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it.each([
    ['a key', { RowKey: 'k'.repeat(3_000_000) }],
    ['a property', { RowKey: 'r', A: 'x'.repeat(3_000_000) }],
  ])('is rejected in a part if it has %s of 3 MB', async (_, entity) => {
    const table = await withTable();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
      insert(table, { PartitionKey: 'p', ...entity }),
    ]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'EntityTooLarge',
      message: '1:The entity is larger than the maximum allowed size (1MB).',
      set: 'B2',
    });
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it.skipIf(externalService).each<[string, (table: string, at: number) => PartRequest]>([
    [
      'long lists of types',
      (table, at) => insert(table, { PartitionKey: 'p', RowKey: `${at}` }, `Accept: ${',a'.repeat(14_000)}${at},*/*`),
    ],
    [
      'long keys',
      (table, at) => ({
        method: 'PUT',
        url: `/${table}(PartitionKey='${"''".repeat(14_000)}${at}',RowKey='r')`,
        body: {},
      }),
    ],
  ])('reads parts with %s in turns', async (_, write) => {
    const table = await withTable();
    const parts = Array.from({ length: 60 }, (_unused, at) => write(table, at));
    const restore = shortenTurns();
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const answer = await sendChangeSet(parts);
    clearImmediate(next);
    restore();

    expect(answer.status).toBe(202);
    expect(turns).toBeGreaterThanOrEqual(parts.length);
  });
});
