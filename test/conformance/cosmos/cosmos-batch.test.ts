import { expect, it } from 'vitest';
import { cosmosType, expectCosmosError, readCosmosParts } from '../../support/answers/cosmos-answers.js';
import { batchBoundary, batchTools, insert, remove, update } from '../../support/bodies/batch-tools.js';
import { describeService } from '../../support/servers/describe-service.js';

const noContent = 'Prefer: return-no-content';
const etag: unknown = expect.stringMatching(/^ETag: W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{7}Z'"$/);
/** The beginning of a batch up to the operations of its change set. */
const setHead = `--${batchBoundary}\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n`;
const emptyType = 'Content-Type: application/json';

// Source: cosmos 6.
describeService(
  'Cosmos DB, transactions',
  (tools) => {
    const { client, withTable, withEntity, service } = tools;
    const { sendBody, sendChangeSet } = batchTools(tools);
    const pathOf = (table: string, row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;

    /** Expects one part with an error, and that nothing was done. */
    const expectFailure = (
      answer: Awaited<ReturnType<typeof sendChangeSet>>,
      status: string,
      code: string,
      message: string,
    ) => {
      const value = `${message}RequestID:${answer.headers['x-ms-request-id']}\n`;
      expect(readCosmosParts(answer)).toEqual([
        {
          status,
          headers: [`Content-Type: ${cosmosType('fullmetadata')}`],
          body: JSON.stringify({ 'odata.error': { code, message: { lang: 'en-us', value } } }),
        },
      ]);
    };

    it('counts its operations from 1, whatever their own Content-ID is', async () => {
      const table = await withTable();
      const rows = ['a', 'b', 'c'];

      const answer = await sendChangeSet(
        rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent, 'Content-ID: 7')),
      );

      expect(readCosmosParts(answer)).toEqual(
        rows.map((row, at) => ({
          status: '204 No Content',
          headers: [
            etag,
            'Preference-Applied: return-no-content',
            `Location: ${service().base}${pathOf(table, row)}`,
            `Content-ID: ${at + 1}`,
          ],
          body: '',
        })),
      );
    });

    it('answers upserts with a type, conditional updates without one, and deletes with the count alone', async () => {
      const table = await withTable();
      for (const RowKey of ['a', 'b', 'c']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });
      const merge = (row: string, ...headers: string[]) => ({
        ...{ method: 'POST', url: pathOf(table, row), headers: ['X-HTTP-Method: MERGE', ...headers] },
        body: { B: 1 },
      });

      const answer = await sendChangeSet([
        update('PUT', pathOf(table, 'new'), { A: 1 }),
        merge('other'),
        update('PUT', pathOf(table, 'a'), { A: 1 }, 'If-Match: *'),
        merge('b', 'If-Match: *'),
        remove(pathOf(table, 'c')),
      ]);

      expect(readCosmosParts(answer).map(({ headers }) => headers)).toEqual([
        [etag, emptyType, 'Content-ID: 1'],
        [etag, emptyType, 'Content-ID: 2'],
        [etag, 'Content-ID: 3'],
        [etag, 'Content-ID: 4'],
        ['Content-ID: 5'],
      ]);
    });

    it('gives its operations times of their own, in ascending order', async () => {
      const table = await withTable();
      const rows = Array.from({ length: 20 }, (_, at) => `${at}`.padStart(2, '0'));

      const answer = await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent)));

      const tags = readCosmosParts(answer).map(({ headers }) => headers[0]);
      expect(new Set(tags).size).toBe(rows.length);
      expect([...tags].sort()).toEqual(tags);
    });

    it('answers a failure with its position, also that of the first operation, and does nothing', async () => {
      const { table } = await withEntity();

      const first = await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r' })]);
      const third = await sendChangeSet([
        insert(table, { PartitionKey: 'p', RowKey: 'a' }),
        insert(table, { PartitionKey: 'p', RowKey: 'b' }),
        remove(pathOf(table, 'r'), `W/"datetime'2020-01-01T00%3A00%3A00Z'"`),
      ]);
      const missing = await sendChangeSet([remove(pathOf(table, 'x'))]);

      expectFailure(first, '409 Conflict', 'EntityAlreadyExists', '0:The specified entity already exists.\n\n');
      const changed = '2:The update condition specified in the request was not satisfied.\n\n';
      expectFailure(third, '412 Precondition Failed', 'UpdateConditionNotSatisfied', changed);
      expectFailure(missing, '404 Not Found', 'ResourceNotFound', '0:The specified resource does not exist.\n\n');
      expect((await client.get(`/${table}()`)).rows).toHaveLength(1);
    });

    it('names no position if the table is missing', async () => {
      const answer = await sendChangeSet([insert('NoSuchTable', { PartitionKey: 'p', RowKey: 'r' })]);

      expectFailure(answer, '404 Not Found', 'ResourceNotFound', 'The specified resource does not exist.\n');
    });

    it('rejects two inserts of one key as a whole, and does nothing', async () => {
      const table = await withTable();
      const rows = ['a', 'b', 'c', 'b', 'd'];

      const answer = await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey })));

      expectCosmosError(answer, {
        ...{ status: 400, code: 'InvalidDuplicateRow', form: 'long', level: 'fullmetadata' },
        message:
          '3:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
      });
      expect((await client.get(`/${table}()`)).rows).toEqual([]);
    });

    it('makes several updates of one entity, one after the other', async () => {
      const { path } = await withEntity({ A: 1 });

      const answer = await sendChangeSet([
        update('MERGE', path, { B: 2 }, 'If-Match: *'),
        update('MERGE', path, { A: 3 }, 'If-Match: *'),
      ]);

      expect(readCosmosParts(answer).map(({ status }) => status)).toEqual(['204 No Content', '204 No Content']);
      expect((await client.get(path)).json).toMatchObject({ A: 3, B: 2 });
    });

    it.each([101, 102, 1000])('takes all of %i operations', async (count) => {
      const table = await withTable();
      const rows = Array.from({ length: count }, (_, at) => `${at}`);

      const answer = await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent)));

      expect(readCosmosParts(answer)).toHaveLength(count);
      expect((await client.get(`/${table}()?$top=1000`)).rows).toHaveLength(count);
    });

    it('rejects a transaction of more than 1,000 operations', async () => {
      const table = await withTable();
      const rows = Array.from({ length: 1001 }, (_, at) => `${at}`);

      const answer = await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent)));

      const [part] = readCosmosParts(answer);
      expect(part?.status).toBe('400 Bad Request');
      expect(answer.body).toContain('exceeds the maximum 1000 changes per change set');
      expect((await client.get(`/${table}()`)).rows).toEqual([]);
    });

    // Source: cosmos 15.1.
    it('rejects a whole transaction with PATCH, wherever the PATCH is, and changes nothing', async () => {
      const { table, path } = await withEntity();
      const patch = update('PATCH', path, { B: 1 }, 'If-Match: *');

      const answers = [
        await sendChangeSet([patch]),
        await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'new' }), patch]),
        await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r' }), patch]),
      ];

      for (const answer of answers) {
        expectCosmosError(answer, {
          ...{ status: 400, code: 'InvalidInput', message: 'One of the input values is invalid.' },
          ...{ form: 'long', level: 'fullmetadata' },
        });
      }
      expect((await client.get(`/${table}()`)).rows).toHaveLength(1);
    });

    // Source: cosmos 15.10; cosmos 15.16.
    it.each([
      ['lacks its boundary', '--other\r\n\r\n'],
      ['is empty', ''],
      ['has an empty change set', `${setHead}--c--\r\n--${batchBoundary}--\r\n`],
      ['has a change set of blank lines', `${setHead}--c\r\n\r\n--c--\r\n\r\n--${batchBoundary}--\r\n`],
      ['has no end', `${setHead}--c\r\n\r\nPOST /T HTTP/1.1\r\n\r\n{}`],
      ['has an operation that is not a request', `${setHead}--c\r\n\r\nwhat\r\n--c--\r\n--${batchBoundary}--\r\n`],
    ])('rejects a body as malformed that %s', async (_, body) => {
      const answer = await sendBody(body);

      expectCosmosError(answer, {
        ...{ status: 400, code: 'InvalidInput', form: 'long', level: 'fullmetadata' },
        message:
          'The batch request body is malformed. Please see https://docs.microsoft.com/en-us/rest/api/storageservices/performing-entity-group-transactions',
      });
    });

    // Source: cosmos 15.12.
    it('encodes a percent sign of a key twice in the Location of an operation, and everything else once', async () => {
      const table = await withTable();

      const answer = await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: "50%'é@" })]);
      const [part] = readCosmosParts(answer);

      const location = `${service().base}/${table}(PartitionKey='p',RowKey='50%2525''%C3%A9@')`;
      expect(part?.status).toBe('201 Created');
      expect(part?.headers).toContain(`Location: ${location}`);
    });

    // Source: cosmos 15.20.
    it('answers different partition keys as a script that failed, at the position 0, and does nothing', async () => {
      const table = await withTable();

      const answer = await sendChangeSet([
        insert(table, { PartitionKey: 'p', RowKey: 'a' }),
        insert(table, { PartitionKey: 'p', RowKey: 'b' }),
        insert(table, { PartitionKey: 'q', RowKey: 'c' }),
      ]);

      const [part] = readCosmosParts(answer);
      const error = JSON.parse(part?.body ?? '') as { 'odata.error': { code: string; message: { value: string } } };
      const { code, message } = error['odata.error'];
      expect([part?.status, part?.headers, code]).toEqual([
        '400 Bad Request',
        [`Content-Type: ${cosmosType('fullmetadata')}`],
        'BadRequest',
      ]);
      const begin = 'Encountered exception while executing function. Exception = Error: OperationCount:0.';
      expect(message.value.startsWith(`0:Message: {"Errors":["${begin}`)).toBe(true);
      expect(message.value).toContain(
        'Requests originating from scripts cannot reference partition keys other than the one for which client request was submitted.',
      );
      expect(message.value.endsWith(`RequestID:${answer.headers['x-ms-request-id']}\n`)).toBe(true);
      expect((await client.get(`/${table}()`)).rows).toEqual([]);
    });
  },
  { cosmos: true },
);
