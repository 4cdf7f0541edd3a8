import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateFault } from '../../../src/state/state-fault.js';
import { cutJson } from '../../../src/transfer/json/cut-json.js';
import { type TransferTools, transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account } from '../../support/store/store-changes.js';

const a = '{"PartitionKey":"p","RowKey":"a"}';

/** A data file with the members that the import looks at, and some of the others. */
const azurite = JSON.stringify({
  filename: '__azurite_db_table__.json',
  collections: [
    {
      name: '$TABLES_COLLECTION$',
      data: [
        {
          account,
          table: 'Orders',
          tableAcl: [{ id: 'one', accessPolicy: { start: '2024-01-01T00:00:00Z', expiry: '', permission: 'r' } }],
          $loki: 1,
        },
        { account, table: 'Empty', $loki: 2 },
      ],
      idIndex: [1, 2],
    },
    { name: '$SERVICES_COLLECTION$', data: [{ accountName: account }] },
    {
      name: `${account}$Orders`,
      data: [
        {
          PartitionKey: 'p',
          RowKey: 'r',
          properties: {
            PartitionKey: 'p',
            RowKey: 'r',
            L: '9223372036854775807',
            'L@odata.type': 'Edm.Int64',
            D: 3,
            'D@odata.type': 'Edm.Double',
            G: Buffer.from('6f9619ff-8b86-d011-b42d-00cf4fc964ff').toString('base64'),
            'G@odata.type': 'Edm.Guid',
            P: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
            'P@odata.type': 'Edm.Guid',
            B: '',
            'B@odata.type': 'Edm.Binary',
            Timestamp: '2024-01-01T00:00:00.0000000Z',
            'Timestamp@odata.type': 'Edm.DateTime',
          },
          lastModifiedTime: '2024-01-01T00:00:00.0000000Z',
          eTag: 'W/"datetime\'2024-01-01T00%3A00%3A00.0000000Z\'"',
          $loki: 1,
        },
        { PartitionKey: 'a/b', RowKey: 'r', properties: { PartitionKey: 'a/b', RowKey: 'r' } },
        { PartitionKey: 'p', RowKey: 'u', properties: { U: 'x', 'U@odata.type': 'Edm.Foo' } },
        { PartitionKey: 'p', RowKey: 's', properties: { S: 'x'.repeat(33_000) } },
      ],
      binaryIndices: {},
    },
    { name: `${account}$Empty`, data: [] },
  ],
  databaseVersion: 1.5,
});

describe('JSON', () => {
  let tested: StoreUnderTest;
  let tools: TransferTools;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 0 });
    tools = transferOf(tested.store());
  });
  afterEach(() => tested.dispose());

  const importJson = (text: string, pieceBytes = 10_000) =>
    tools.importText(text, { format: 'json', defaultTable: 'Default', pieceBytes });

  it('may be what the Azure CLI prints of a query, whose ETags stay out', async () => {
    const etag = `W/"datetime'2024-01-01T00%3A00%3A00.0000000Z'"`;
    const items = `[{"PartitionKey":"p","RowKey":"1","Timestamp":"2024-01-01T00:00:00+00:00","etag":${JSON.stringify(etag)},
      "Big":{"edm_type":"Edm.Int64","value":9007199254740993},"N":1,"D":2.0,"S":"x"},
      {"PartitionKey":"p","RowKey":"2","etag":"","List":[1],"Other":{"a":1}}]`;
    const report = await importJson(`{"items":${items},"nextMarker":{}}`, 3);
    expect(report).toMatchObject({
      rows: 1,
      rejected: [{ rowKey: '2', message: expect.stringMatching(/^The value of List/) }],
    });
    expect(await tools.exportText({ table: 'Default' })).toContain(
      '{"PartitionKey":"p","RowKey":"1","Big@odata.type":"Edm.Int64","Big":"9007199254740993","N":1,"D":2.0,"S":"x"}',
    );
  });

  it('has tables with their entities, and policies', async () => {
    const text = `{"tables":{\n"Empty":[\n],\n"Orders":[\n${a}\n]},"policies":{"Orders":[{"id":"one","permission":"r"}]}}\n`;
    expect(await importJson(text, 1)).toMatchObject({ rows: 1, tables: 2, rejected: [] });
    expect(await tools.exportText({ format: 'json' })).toBe(text);
    expect(await tools.exportText()).toContain('{"$table":"Orders","policies":[{"id":"one","permission":"r"}]}');
  });

  it('of an account without tables is not nothing', async () => {
    expect(await tools.exportText({ format: 'json' })).toBe('{"tables":{}}\n');
    expect(await importJson('{"tables":{}}')).toMatchObject({ rows: 0, tables: 0 });
    expect(await tested.store().listTables(account)).toEqual([]);
  });

  it.each([
    ['a list of entities', `[${a}]`],
    ['a page of a query', `{"odata.metadata":"http://host/$metadata#T","value":[{"odata.etag":"x",${a.slice(1)}]}`],
  ])('may be %s', async (_, text) => {
    expect(await importJson(text)).toMatchObject({ rows: 1, rejected: [] });
    expect(await tools.exportText()).toBe(`{"$table":"Default"}\n${a}\n`);
  });

  it('reports rows with their line and column', async () => {
    const { rejected } = await importJson(
      `{"tables":{"Orders":[\n  ${a},\n  {"PartitionKey":"p","RowKey":"g","1":1},\n 5, [${'['.repeat(10_000)}${']'.repeat(10_000)}]]}}`,
    );
    expect(rejected.map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 36, 'PropertyNameInvalid'],
      [4, 1, 'InvalidInput'],
      [4, 1, 'InvalidInput'],
    ]);
  });

  it.each([
    ['{"tables":{"Orders":[', 'The JSON is truncated.'],
    ['{"tables":{"Orders":[}]}', "Line 1, column 22: unexpected '}'."],
    ['[1 2]', "Line 1, column 4: unexpected '2'."],
    ['{"other":{}}', 'The JSON contains no data.'],
    ['"text"', 'The JSON contains no data.'],
    ['', 'The JSON is truncated.'],
  ])('%j is rejected', async (text, message) => {
    await expect(importJson(text)).rejects.toThrow(message);
  });

  const tables = (...listed: readonly unknown[]) => ({ name: '$TABLES_COLLECTION$', data: listed });
  const orders = (...rows: readonly unknown[]) => ({ name: `${account}$Orders`, data: rows });
  const row = { PartitionKey: 'p', RowKey: 'r', properties: null };

  it.each<[string, readonly unknown[], number, number]>([
    ['rows that are not entities', [tables(), orders(null, 5, 'x', [], {}, { properties: row }, row)], 1, 6],
    [
      'tables that are none',
      [tables(null, 5, {}, { account: 1, table: 2 }, { account, table: 'Orders', tableAcl: 'x' }), orders(row)],
      1,
      5,
    ],
    ['policies that are none', [tables({ account, table: 'Orders', tableAcl: [null] }), orders(row)], 1, 1],
    ['collections of other kinds', [null, 5, { name: 5, data: [row] }, { name: 'x', data: [row] }, tables()], 0, 0],
  ])('of Azurite that is damaged has %s, which are reported', async (_what, collections, rows, rejected) => {
    const report = await importJson(JSON.stringify({ collections }));
    expect(report).toMatchObject({ rows, rejectedRows: rejected });
    expect(new Set(report.rejected.map(({ code }) => code)).size).toBeLessThanOrEqual(2);
    expect(JSON.stringify(report)).not.toMatch(/undefined|null|function|destructure/);
  });

  it.each([
    ['blobs', [{ name: '$CONTAINERS_COLLECTION$', data: [] }], 'Azurite keeps them in __azurite_db_table__.json.'],
    ['nothing', [], 'The file has no tables.'],
    ['rows before a name', [tables(), { data: [row], name: 'x$y' }], 'the collection has data before its name.'],
  ])('of Azurite with %s is rejected', async (_what, collections, message) => {
    await expect(importJson(JSON.stringify({ collections }))).rejects.toThrow(message);
  });

  it('of Azurite with a name that is not JSON is rejected', async () => {
    const text = String.raw`{"collections":[{"name":"a\q$Orders","data":[]}]}`;
    await expect(importJson(text)).rejects.toThrow(
      new StateFault('invalid', 'Line 1 has a name that is not valid JSON.'),
    );
  });

  it.each([1, 13, 100_000])(
    'of Azurite is imported, with a report of what the cloud rejects, in pieces of %i bytes',
    async (pieceBytes) => {
      const { rows, rejected } = await importJson(azurite, pieceBytes);
      expect(rows).toBe(1);
      expect(rejected.map(({ code, partitionKey, rowKey }) => [code, partitionKey, rowKey])).toEqual([
        ['OutOfRangeInput', 'a/b', 'r'],
        ['InvalidInput', 'p', 'u'],
        ['PropertyValueTooLarge', 'p', 's'],
      ]);
      expect((await tools.exportText()).split('\n')).toEqual([
        '{"$table":"Empty"}',
        '{"$table":"Orders","policies":[{"id":"one","start":"2024-01-01T00:00:00.0000000Z","permission":"r"}]}',
        '{"PartitionKey":"p","RowKey":"r","L@odata.type":"Edm.Int64","L":"9223372036854775807","D":3.0,"G@odata.type":"Edm.Guid","G":"6f9619ff-8b86-d011-b42d-00cf4fc964ff","P@odata.type":"Edm.Guid","P":"6f9619ff-8b86-d011-b42d-00cf4fc964ff","B@odata.type":"Edm.Binary","B":""}',
        '',
      ]);
    },
  );
});

describe('cutJson', () => {
  it.each([1, 2, 5, 1000])('cuts out values with their places, in pieces of %i characters', async (size) => {
    const text = ' {"skipped":{"a":["]",{"b":"\\"}"}]},\n "list":[1.5e3,"a\\\\\\"b",{"c":[]} ,null]}';
    const found: unknown[] = [];
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    };
    const choose = ([name]: readonly (string | number)[]) => (name === 'skipped' ? 'skip' : 'enter');
    for await (const part of cutJson(pieces(), choose)) {
      for (const { path, text: cut, line, column } of part) found.push([path.join('/'), cut, line, column]);
    }
    expect(found).toEqual([
      ['', undefined, 1, 2],
      ['list', undefined, 2, 9],
      ['list/0', '1.5e3', 2, 10],
      ['list/1', '"a\\\\\\"b"', 2, 16],
      ['list/2', undefined, 2, 25],
      ['list/2/c', undefined, 2, 30],
      ['list/3', 'null', 2, 35],
    ]);
  });
});
