import { expect, it } from 'vitest';
import { usualTexts } from '../support/answers/error-texts.js';
import {
  batchTools,
  expectFailure,
  expectParts,
  insert,
  type PartRequest,
  read,
  readBatchAnswer,
  remove,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const inXml = 'Accept: application/xml';

describeService('Entity Group Transaction, allowed operations', (tools) => {
  const { client, withTable, withEntity } = tools;
  const { sendChangeSet, sendQuery } = batchTools(tools);
  const rowsOf = async (table: string) => (await client.get(`/${table}`)).rows.map((row) => row['RowKey']);

  it.each<[what: string, (table: string) => PartRequest, status: string, code: string, message?: string]>([
    [
      'a post to the account',
      () => ({ method: 'POST', url: '/', body: {} }),
      '405 Method Not Allowed',
      'MethodNotAllowed',
    ],
    ['a read in a change set', (table) => read(`/${table}`), '400 Bad Request', 'InvalidInput'],
    [
      'a broken escape in a key',
      (t) => remove(`/${t}(PartitionKey='%ff',RowKey='r')`),
      '400 Bad Request',
      'RequestUrlFailedToParse',
    ],
    [
      'a key without its quote',
      (t) => remove(`/${t}(PartitionKey='p',RowKey='r)`),
      '400 Bad Request',
      'InvalidInput',
      "There is an unterminated string literal at position 26 in 'PartitionKey='p',RowKey='r'.",
    ],
    [
      'a quote that is not doubled',
      (t) => remove(`/${t}(PartitionKey='p',RowKey='it%27s')`),
      '400 Bad Request',
      'InvalidInput',
      "There is an unterminated string literal at position 30 in 'PartitionKey='p',RowKey='it's''.",
    ],
    [
      'keys without names',
      (t) => remove(`/${t}('p','r')`),
      '400 Bad Request',
      'InvalidInput',
      'Bad Request - Error in query syntax.',
    ],
    [
      'a # in a key',
      (t) => remove(`/${t}(PartitionKey='a%23b',RowKey='r')`),
      '400 Bad Request',
      'OutOfRangeInput',
      'One of the request inputs is out of range.',
    ],
    [
      'a delete without a tag',
      (t) => remove(`/${t}(PartitionKey='p',RowKey='r')`, ''),
      '400 Bad Request',
      'InvalidInput',
    ],
    [
      'an unknown comp',
      (t) => ({ method: 'PUT', url: `/${t}?comp=nothing`, body: {} }),
      '400 Bad Request',
      'InvalidQueryParameterValue',
    ],
    [
      'another account',
      (t) => remove(`http://other/account/${t}(PartitionKey='p',RowKey='r')`),
      '400 Bad Request',
      'InvalidInput',
    ],
    ...[
      'https://other.table.core.windows.net',
      'https://other.table.core.windows.net/devstoreaccount1',
      'http://devstoreaccount2.table.localhost:10002',
      'http://other.example',
      'http://127.0.0.1:1',
    ].map(
      (base) =>
        [
          `the host ${base}`,
          (table: string) => remove(`${base}/${table}(PartitionKey='p',RowKey='r')`),
          '400 Bad Request',
          'InvalidInput',
        ] satisfies [string, (table: string) => PartRequest, string, string],
    ),
  ])(
    'B22 and B30 reject %s while reading, with its position',
    async (_, asked, status, code, message = usualTexts.get(code)) => {
      const { table } = await withEntity();

      const answer = await sendChangeSet([asked(table)]);

      expectFailure(answer, { status, code, message: `0:${message}`, set: 'B1' });
      expect(await rowsOf(table)).toEqual(['r']);
    },
  );

  it.each([
    ['If-Match: *', 'existing'],
    ['Accept: application/json;odata=minimalmetadata', 'new'],
  ])('accepts a MERGE that names its verb again in X-HTTP-Method, with %s', async (header, row) => {
    const { table } = await withEntity();
    if (row === 'existing') await client.post(`/${table}`, { PartitionKey: 'p', RowKey: row });
    const url = `/${table}(PartitionKey='p',RowKey='${row}')`;
    const body = { PartitionKey: 'p', RowKey: row, B: 2 };

    const answer = await sendChangeSet([{ method: 'MERGE', url, headers: [header, 'X-HTTP-Method: MERGE'], body }]);

    expectParts(answer, ['204 No Content']);
    expect((await client.get(url)).json).toMatchObject({ B: 2 });
  });

  it('rejects an operation of a batch that names another verb without being a POST', async () => {
    const { table } = await withEntity();
    const url = `/${table}(PartitionKey='p',RowKey='r')`;

    const answer = await sendChangeSet([{ method: 'PUT', url, headers: ['X-HTTP-Method: MERGE'], body: {} }]);

    const message = `0:${usualTexts.get('XMethodNotUsingPost')}`;
    expectFailure(answer, { status: '400 Bad Request', code: 'XMethodNotUsingPost', message, set: 'B1' });
  });

  it.each<[string, PartRequest]>([
    ['Create Table', { method: 'POST', url: '/Tables', body: { TableName: 'made' } }],
    ['Delete Table', { method: 'DELETE', url: "/Tables('made')" }],
    ['an access policy', { method: 'PUT', url: '/made?comp=acl', headers: [inXml], body: '<SignedIdentifiers/>' }],
    [
      'service properties',
      {
        method: 'PUT',
        url: '/?restype=service&comp=properties',
        headers: [inXml],
        body: '<StorageServiceProperties/>',
      },
    ],
    ['a batch', { method: 'POST', url: '/$batch', body: '--b\r\n' }],
  ])('rejects %s as an operation of a batch', async (_, part) => {
    const table = await withTable();

    const answer = await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: '1' }), part]);

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'BatchOperationNotSupported',
      message: '1:The operation is not supported in a batch.',
      set: 'B2',
      ...(part.headers?.includes(inXml) && { xml: true }),
    });
    expect(await rowsOf(table)).toEqual([]);
    expect((await client.get("/Tables('made')")).status).toBe(404);
  });

  it.each(['/Tables', "/Tables('TABLE')", '/TABLE?comp=acl', '/?restype=service&comp=properties', '/$batch'])(
    'rejects a read of %s as the query of a batch',
    async (url) => {
      const { table } = await withEntity();

      const answer = await sendQuery(read(url.replace('TABLE', table), 'Accept: application/json'));

      const [part] = readBatchAnswer(answer).parts;
      expect(part?.statusLine).toMatch(/^HTTP\/1\.1 4/);
    },
  );

  it.each(['/Tables', "/Tables('TABLE')"])('does not read %s in a batch', async (url) => {
    const { table } = await withEntity();

    const answer = await sendQuery(read(url.replace('TABLE', table)));

    expectFailure(
      answer,
      {
        status: '400 Bad Request',
        code: 'BatchOperationNotSupported',
        message: '0:The operation is not supported in a batch.',
        set: 'B2',
      },
      false,
    );
  });

  it('B21 answers a read of a missing entity with its position', async () => {
    const { path } = await withEntity();

    const answer = await sendQuery(read(path.replace("'r'", "'missing'")));

    expectFailure(
      answer,
      {
        status: '404 Not Found',
        code: 'ResourceNotFound',
        message: '0:The specified resource does not exist.',
        set: 'B2',
      },
      false,
    );
  });

  it('writes an error at the metadata level that its operation requests', async () => {
    const { table } = await withEntity();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: 'r' }, 'Accept: application/json;odata=nometadata'),
    ]);

    expectFailure(answer, {
      status: '409 Conflict',
      code: 'EntityAlreadyExists',
      message: 'The specified entity already exists.',
      set: 'B2',
      level: 'nometadata',
    });
  });

  it('applies Content-ID, preference and metadata level to each operation separately', async () => {
    const table = await withTable();
    const headers = [
      ['Content-ID: 1'],
      ['Content-ID: 1'],
      ['Content-ID: 2'],
      ['Content-ID: 2', 'Accept: application/json;odata=nometadata'],
      ['Content-ID: 2', 'Accept: application/json;odata=nometadata', 'Prefer: return-no-content'],
      [],
    ];
    const parts = headers.map((own, row) => insert(table, { PartitionKey: 'p', RowKey: `${row}` }, ...own));

    const { parts: answered } = readBatchAnswer(await sendChangeSet(parts));

    const told = answered.map(({ headers: pairs, statusLine }) => {
      const { 'Content-ID': id, 'Content-Type': type } = Object.fromEntries(pairs);
      return [statusLine.slice(9, 12), id, /odata=(\w+)/.exec(type ?? '')?.[1]];
    });
    expect(told).toEqual([
      ['201', '1', 'minimalmetadata'],
      ['201', '1', 'minimalmetadata'],
      ['201', '2', 'minimalmetadata'],
      ['201', '2', 'nometadata'],
      ['204', '2', undefined],
      ['201', undefined, 'minimalmetadata'],
    ]);
    expect(await rowsOf(table)).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});
