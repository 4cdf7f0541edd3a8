import { expect, it } from 'vitest';
import { batchTools, expectFailure, insert, readBatchAnswer, remove, update } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const noContent = 'Prefer: return-no-content';
const staleTag = `If-Match: W/"datetime'2020-01-01T00%3A00%3A00.0000001Z'"`;

/*
 * The text of an error begins with the position of its operation, such as `2:`. A change set of one operation has the
 * position only in errors that are found while it is read (B1). Source: batch 4.
 */

describeService('Entity Group Transaction with a failing operation', (tools) => {
  const { client, withTable, withEntity } = tools;
  const { sendChangeSet } = batchTools(tools);
  const rowsOf = async (table: string) => (await client.get(`/${table}`)).rows.map((row) => row['RowKey']);

  it('B9 answers only the error, with the position of its operation, and stores nothing', async () => {
    const { table } = await withEntity();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }, noContent),
      insert(table, { PartitionKey: 'p', RowKey: '2' }),
      insert(table, { PartitionKey: 'p', RowKey: 'r' }, noContent, 'Content-ID: c'),
    ]);

    expectFailure(answer, {
      status: '409 Conflict',
      code: 'EntityAlreadyExists',
      message: '2:The specified entity already exists.',
      set: 'B2',
      contentId: 'c',
      prefer: 'return-no-content',
    });
    expect(await rowsOf(table)).toEqual(['r']);
  });

  it('B33 answers with the Content-ID of the last operation, whichever failed', async () => {
    const { table, path } = await withEntity();
    const parts = [
      update('PUT', path, { A: 2 }, staleTag, 'Content-ID: 1'),
      update('PUT', `/${table}(PartitionKey='p',RowKey='2')`, { A: 2 }, 'Content-ID: 2'),
    ];

    expectFailure(await sendChangeSet(parts), {
      status: '412 Precondition Failed',
      code: 'UpdateConditionNotSatisfied',
      message: '0:The update condition specified in the request was not satisfied.',
      set: 'B2',
      contentId: '2',
    });
  });

  it.each([
    ['a stale tag', staleTag, 'UpdateConditionNotSatisfied'],
    ['a tag without an instant', `If-Match: W/"datetime''2017''"`, 'ConditionNotMet'],
  ])('B34 answers with the preference of a later operation if %s fails one', async (_, tag, code) => {
    const { table, path } = await withEntity();
    const parts = [
      update('MERGE', path, { A: 2 }, tag),
      insert(table, { PartitionKey: 'p', RowKey: '2' }, noContent),
      remove(`/${table}(PartitionKey='p',RowKey='3')`),
    ];

    const answer = await sendChangeSet(parts);

    const [part] = readBatchAnswer(answer).parts;
    expect(part?.body).toContain(code);
    expect(part?.headers.slice(0, 3)).toEqual([
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
      ['Preference-Applied', 'return-no-content'],
    ]);
  });

  it.each([
    ['without PartitionKey', { RowKey: 'r' }],
    ['with null as PartitionKey', { PartitionKey: null, RowKey: 'r' }],
  ])('keeps the position of a single insert %s, which belongs to no partition', async (_, entity) => {
    const table = await withTable();
    expectFailure(await sendChangeSet([insert(table, entity, noContent)]), {
      status: '400 Bad Request',
      code: 'PropertiesNeedValue',
      message: '0:The values are not specified for all properties in the entity.',
      set: 'B2',
      prefer: 'return-no-content',
    });
  });

  it('leaves the position out for a single insert without RowKey', async () => {
    const table = await withTable();
    expectFailure(await sendChangeSet([insert(table, { PartitionKey: 'p' })]), {
      status: '400 Bad Request',
      code: 'PropertiesNeedValue',
      message: 'The values are not specified for all properties in the entity.',
      set: 'B2',
    });
  });

  it('answers an operation whose length is not a number as one without a request', async () => {
    const { path } = await withEntity();
    const answer = await sendChangeSet([
      update('PATCH', path, { A: 2 }, 'Content-Length: 69Accept: application/json;odata=minimalmetadata'),
    ]);
    const [part] = readBatchAnswer(answer).parts;
    expect(answer.status).toBe(202);
    expect(part?.statusLine).toBe('HTTP/1.1 400 Bad Request');
    expect(part?.body).toContain(
      '<code>InvalidInput</code><message xml:lang="en-US">An error occurred while processing this request.',
    );
  });

  it('B10 writes the position of the first operation also', async () => {
    const { table, path } = await withEntity({ A: 1 });

    const answer = await sendChangeSet([
      update('PUT', path, { A: 2 }, staleTag),
      update('PATCH', `/${table}(PartitionKey='p',RowKey='other')`, { A: 2 }),
    ]);

    expectFailure(answer, {
      status: '412 Precondition Failed',
      code: 'UpdateConditionNotSatisfied',
      message: '0:The update condition specified in the request was not satisfied.',
      set: 'B2',
    });
    expect(await rowsOf(table)).toEqual(['r']);
    expect((await client.get(path)).json['A']).toBe(1);
  });

  it.each([
    [
      'a stale tag',
      (path: string) => update('MERGE', path, {}, staleTag),
      '412 Precondition Failed',
      'UpdateConditionNotSatisfied',
      'The update condition specified in the request was not satisfied.',
    ],
    [
      'a missing entity',
      (path: string) => remove(path.replace("'r'", "'missing'")),
      '404 Not Found',
      'ResourceNotFound',
      'The specified resource does not exist.',
    ],
    [
      'a property too large',
      (path: string) => update('PUT', path, { A: 'x'.repeat(40_000) }),
      '400 Bad Request',
      'PropertyValueTooLarge',
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, ' +
        'it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
    ],
  ] as const)(
    'B11 and B12 write no position if the only operation fails with %s',
    async (_, asked, status, code, message) => {
      const { path } = await withEntity();

      const answer = await sendChangeSet([asked(path)]);

      expectFailure(answer, { status, code, message, set: 'B2' });
    },
  );

  it.each([1, 3])('B13 answers TableNotFound at position 0 for %i inserts into a missing table', async (count) => {
    const parts = Array.from({ length: count }, (_, at) =>
      insert('missing', { PartitionKey: 'p', RowKey: `${at}` }, noContent),
    );

    expectFailure(await sendChangeSet(parts), {
      status: '404 Not Found',
      code: 'TableNotFound',
      message: '0:The table specified does not exist.',
      set: 'B1',
    });
  });

  it('B14 rejects an entity that appears twice, with the position of the second operation', async () => {
    const table = await withTable();
    const parts = ['0', '1', '2', '1'].map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent));

    expectFailure(await sendChangeSet(parts), {
      status: '400 Bad Request',
      code: 'InvalidDuplicateRow',
      message:
        '3:The batch request contains multiple changes with same row key. ' +
        'An entity can appear only once in a batch request.',
      set: 'B2',
      prefer: 'return-no-content',
    });
    expect(await rowsOf(table)).toEqual([]);
  });

  it('B15 rejects two changes of one entity, regardless of their verbs, before it checks whether it exists', async () => {
    const { table, path } = await withEntity({ A: 1 });

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: 'r' }),
      update('PATCH', path, { A: 2 }),
    ]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'InvalidDuplicateRow',
      message:
        '1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
      set: 'B2',
    });
    expect((await client.get(path)).json['A']).toBe(1);
  });

  it('treats keys that differ only in letter case as two keys', async () => {
    const table = await withTable();

    const answer = await sendChangeSet(
      ['k', 'K'].map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent)),
    );

    expect(answer.status).toBe(202);
    expect(await rowsOf(table)).toEqual(['K', 'k']);
  });

  it('B16 rejects the hundred and first operation at index 99', async () => {
    const table = await withTable();
    const parts = Array.from({ length: 101 }, (_, at) =>
      insert(table, { PartitionKey: 'p', RowKey: `${at}` }, noContent),
    );

    expectFailure(await sendChangeSet(parts), {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: '99:The batch request operation exceeds the maximum 100 changes per change set.',
      set: 'B2',
      prefer: 'return-no-content',
    });
    expect(await rowsOf(table)).toEqual([]);
  });

  it.each([
    ['partitions', (table: string) => insert(table, { PartitionKey: 'P', RowKey: '2' })],
    ['tables', (_: string, other: string) => insert(other, { PartitionKey: 'p', RowKey: '2' })],
  ] as const)('B17 and B18 reject operations on two %s', async (_, second) => {
    const [table, other] = [await withTable(), await withTable()];

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
      second(table, other),
      insert(table, { PartitionKey: 'p', RowKey: '3' }),
    ]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'CommandsInBatchActOnDifferentPartitions',
      message: '1:All commands in a batch must operate on same entity group.',
      set: 'B2',
    });
    expect([await rowsOf(table), await rowsOf(other)]).toEqual([[], []]);
  });

  it('treats two spellings of a table name as one table', async () => {
    const table = await withTable();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
      insert(table.toUpperCase(), { PartitionKey: 'p', RowKey: '2' }),
    ]);

    expect(answer.status).toBe(202);
    expect(await rowsOf(table)).toEqual(['1', '2']);
  });

  it('B19 rejects a bad value with the position of its operation', async () => {
    const table = await withTable();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
      { ...insert(table, {}), body: '{"PartitionKey":"p","RowKey":"2","A@odata.type":"Edm.Int64","A":"many"}' },
    ]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: '1:An error occurred while processing this request.',
      set: 'B1',
    });
    expect(await rowsOf(table)).toEqual([]);
  });

  it('answers the first fault found while reading, even if an earlier operation would fail too', async () => {
    const { table } = await withEntity();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: 'r' }),
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
      insert(table, { PartitionKey: 'q', RowKey: '2' }),
      insert(table, { PartitionKey: 'p', RowKey: '1' }),
    ]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'CommandsInBatchActOnDifferentPartitions',
      message: '2:All commands in a batch must operate on same entity group.',
      set: 'B2',
    });
  });
});
