import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportWish } from '../../../src/transfer/contract.js';
import { type TransferTools, transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';

/** Each value has its type, as Storage Explorer wrote it up to 1.39: an empty cell without a type stands for nothing. */
const classic = [
  'PartitionKey,RowKey,Timestamp,Name,Name@type,Age,Age@type,Big,Big@type,Paid,Paid@type,At,At@type,Id,Id@type,Raw,Raw@type',
  'p,1,2024-01-01T00:00:00.000Z,"O""Hara, Scarlett",Edm.String,41,Edm.Int32,9223372036854775807,Edm.Int64,True,Edm.Boolean,2024-01-02T03:04:05.1234567Z,Edm.DateTime,6F9619FF-8B86-D011-B42D-00CF4FC964FF,Edm.Guid,AQID,Edm.Binary',
  'p,2,2024-01-01T00:00:00.000Z,,Edm.String,,,,,false,Edm.Boolean,2024-01-02T03:04:05,Edm.DateTime,,,,Edm.Binary',
  'p,3,2024-01-01T00:00:00.000Z,"two\nlines",Edm.String,,,12,Edm.Double,,,,,,,,',
].join('\r\n');

/** The type of a column is in the first row that has one, without `Edm.`, as Storage Explorer writes it from 1.40 on. */
const sticky = [
  'PartitionKey,RowKey,Timestamp,Name,Name@type,Age,Age@type,Paid,Paid@type',
  'p,1,2024-01-01T00:00:00Z,Ann,String,41,Int32,TRUE,Boolean',
  'p,2,2024-01-01T00:00:00Z,,,42,,false,',
  'p,3,2024-01-01T00:00:00Z,Eve,,,,,',
].join('\n');

const entitiesOf = (exported: string) => exported.trimEnd().split('\n').slice(1);

describe('CSV', () => {
  let tested: StoreUnderTest;
  let tools: TransferTools;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 0 });
    tools = transferOf(tested.store());
  });
  afterEach(() => tested.dispose());

  const importCsv = (text: string, wish: ImportWish & { pieceBytes?: number } = {}) =>
    tools.importText(text, { format: 'csv', defaultTable: 'Orders', ...wish });
  const rows = async () => entitiesOf(await tools.exportText({ table: 'Orders' }));

  it.each([1, 7, 10_000])(
    'of Storage Explorer with a type for each value is read, in pieces of %i bytes',
    async (pieceBytes) => {
      expect(await importCsv(classic, { pieceBytes })).toMatchObject({ rows: 3, rejected: [] });
      expect(await rows()).toEqual([
        '{"PartitionKey":"p","RowKey":"1","Name":"O\\"Hara, Scarlett","Age":41,"Big@odata.type":"Edm.Int64","Big":"9223372036854775807","Paid":true,"At@odata.type":"Edm.DateTime","At":"2024-01-02T03:04:05.1234567Z","Id@odata.type":"Edm.Guid","Id":"6f9619ff-8b86-d011-b42d-00cf4fc964ff","Raw@odata.type":"Edm.Binary","Raw":"AQID"}',
        '{"PartitionKey":"p","RowKey":"2","Name":"","Paid":false,"At@odata.type":"Edm.DateTime","At":"2024-01-02T03:04:05Z","Raw@odata.type":"Edm.Binary","Raw":""}',
        '{"PartitionKey":"p","RowKey":"3","Name":"two\\nlines","Big":12.0}',
      ]);
    },
  );

  it('of Storage Explorer with the types of the first row is read', async () => {
    expect(await importCsv(sticky)).toMatchObject({ rows: 3, rejected: [] });
    expect(await rows()).toEqual([
      '{"PartitionKey":"p","RowKey":"1","Name":"Ann","Age":41,"Paid":true}',
      '{"PartitionKey":"p","RowKey":"2","Age":42,"Paid":false}',
      '{"PartitionKey":"p","RowKey":"3","Name":"Eve"}',
    ]);
  });

  it.each([',', ';', '\t'])('may have cells between %j, and a byte order mark', async (separator) => {
    const text = sticky.replaceAll(',', separator);
    expect(await importCsv(`\ufeff${text}`)).toMatchObject({ rows: 3, rejected: [] });
  });

  it.each([1, 5, 10_000])(
    'of PowerShell and of Excel may begin with a line of their own, in pieces of %i bytes',
    async (pieceBytes) => {
      const record = '"PartitionKey"|"RowKey"|"N"\r\n"p"|"1"|"x,y;z"\r\n"p/"|"2"|""\r\n';
      const text = `\ufeff#TYPE System.Management.Automation.PSCustomObject\r\nsep=|\r\n${record}`;
      expect(await importCsv(text, { pieceBytes })).toMatchObject({ rows: 1, rejected: [{ line: 5, column: 1 }] });
      expect(await rows()).toEqual(['{"PartitionKey":"p","RowKey":"1","N":"x,y;z"}']);
    },
  );

  it.each([1, 5, 10_000])(
    'rejects a cell with text after its closing quote, in pieces of %i bytes',
    async (pieceBytes) => {
      const text = [
        'PartitionKey,RowKey,S,T',
        'p,1,"bad" tail,',
        'p,2,"bad" "tail",',
        'p,3,"",""x',
        'p,4,"ok","ok"',
        '',
      ].join('\r\n');
      const { rows: imported, rejected } = await importCsv(text, { pieceBytes });
      expect(rejected.map(({ rowKey }) => rowKey)).toEqual(['1', '2', '3']);
      expect(rejected.map(({ line, column, message }) => [line, column, message])).toEqual(
        [
          [2, 3],
          [3, 3],
          [4, 4],
        ].map((place) => [
          ...place,
          `The text of column ${place[1]} continues after its closing quote. Write a quote inside a quoted cell twice.`,
        ]),
      );
      expect(imported).toBe(1);
    },
  );

  it('has the types of the first row, also if that row is rejected', async () => {
    const text = 'PartitionKey,RowKey,N,N@type,S\np,1,1,Int32,"bad" tail\np,2,2,,ok\n';
    expect(await importCsv(text)).toMatchObject({ rows: 1, rejectedRows: 1 });
    expect(await rows()).toEqual(['{"PartitionKey":"p","RowKey":"2","N":2,"S":"ok"}']);
  });

  it('without types has strings, and absent properties for empty cells', async () => {
    await importCsv('PartitionKey,RowKey,N,S\np,1,41,\np,2,"",x\n');
    expect(await rows()).toEqual([
      '{"PartitionKey":"p","RowKey":"1","N":"41"}',
      '{"PartitionKey":"p","RowKey":"2","S":"x"}',
    ]);
  });

  it.each(['\n', '\r\n'])(
    'keeps a carriage return at the end of a quoted cell, with lines that end in %j',
    async (end) => {
      await importCsv(['PartitionKey,RowKey,S', 'p,1,"x\r"', 'p,2,x', 'p,3,"x""\r"', ''].join(end));
      expect(await rows()).toEqual([
        '{"PartitionKey":"p","RowKey":"1","S":"x\\r"}',
        '{"PartitionKey":"p","RowKey":"2","S":"x"}',
        '{"PartitionKey":"p","RowKey":"3","S":"x\\"\\r"}',
      ]);
    },
  );

  it('gets types that all first values of a column fit, if that is asked for', async () => {
    const header = 'PartitionKey,RowKey,Zip,Count,Big,Ratio,When,Id,Done,Mixed,None';
    const values = '01234,-5,3000000000,1.5,2024-01-02T03:04:05Z,6f9619ff-8b86-d011-b42d-00cf4fc964ff,TRUE,1,';
    const report = await importCsv(`${header}\n1,1,${values}\n1,2,${values.replace('TRUE,1', 'false,x')}\n`, {
      infer: true,
    });
    expect(report.inferred).toEqual({
      Orders: {
        Zip: 'Edm.String',
        Count: 'Edm.Int32',
        Big: 'Edm.Int64',
        Ratio: 'Edm.Double',
        When: 'Edm.DateTime',
        Id: 'Edm.Guid',
        Done: 'Edm.Boolean',
        Mixed: 'Edm.String',
        None: 'Edm.String',
      },
    });
    expect(report).toMatchObject({ rows: 2, rejected: [] });
  });

  it('gives later rows the types that it chose, and rejects values that do not fit', async () => {
    const many = Array.from({ length: 1500 }, (_, at) => `p,${at},${at}`);
    const report = await importCsv(`PartitionKey,RowKey,N\n${many.join('\n')}\np,x,text\n`, { infer: true });
    expect(report).toMatchObject({ rows: 1500, rejected: [{ line: 1502, column: 3, code: 'InvalidInput' }] });
  });

  it('is mapped to other names and types', async () => {
    const map = { columns: { Country: 'PartitionKey', Code: 'RowKey', Notes: null }, types: { Size: 'Edm.Int64' } };
    await importCsv('Country,Code,Notes,Size\nde,1,x,5\n', { map });
    expect(await rows()).toEqual(['{"PartitionKey":"de","RowKey":"1","Size@odata.type":"Edm.Int64","Size":"5"}']);
  });

  it.each([
    ['', 'The file is empty.'],
    [
      'PartitionKey,Id\n',
      'The file has no column RowKey. Rename the column, or map it with --map FILE (in a program: map): {"columns":{"Id":"RowKey"}}.',
    ],
    [
      'partition_key,Row Key,A\n',
      'The file has no column PartitionKey and no column RowKey. Rename the columns, or map them with --map FILE (in a program: map): ' +
        '{"columns":{"partition_key":"PartitionKey","Row Key":"RowKey"}}.',
    ],
    ['PartitionKey,"RowKey" x\n', 'Line 1: The text of column 2 continues after its closing quote.'],
    ['PartitionKey,RowKey,A,A\n', "The column 'A' appears twice."],
    ['PartitionKey,RowKey,A\rp,r,1\r', 'The header has a carriage return without a line feed.'],
    ['PartitionKey,RowKey,A@type\n', "'A' has a column of types, but none of values."],
    ['PartitionKey,RowKey\np,"open\n', 'The record in line 2 has an unclosed quote.'],
  ])('that begins with %j is rejected', async (text, message) => {
    await expect(importCsv(text)).rejects.toThrow(message);
  });

  it.each([[{ columns: { Id: 1 } }], [{ colums: {} }], [[]], [{ types: 'Edm.Int32' }], [null]])(
    'rejects the map %j',
    async (map) => {
      await expect(importCsv('PartitionKey,RowKey\n', { map: map as never })).rejects.toThrow('The map is invalid.');
    },
  );

  it('rejects a map of a column that is not there', async () => {
    const map = { columns: { Id: 'RowKey' } };
    await expect(importCsv('PartitionKey,RowKey\n', { map })).rejects.toThrow("refers to the column 'Id'");
  });

  it('makes an empty table of a header alone', async () => {
    expect(await importCsv('PartitionKey,RowKey')).toMatchObject({ rows: 0, tables: 1 });
    expect(await rows()).toEqual([]);
  });

  it('reports rows with their line and cell, and imports the others', async () => {
    const text = [
      'PartitionKey,RowKey,N,N@type,S',
      'p,1,x,Edm.Int32,',
      'p,2,5,Edm.Int32',
      'p,"3\n",5,Edm.Int32,s',
      'a/b,4,5,Edm.Int32,s',
      'p,5,5,Edm.Unknown,s',
      `p,6,5,Edm.Int32,${'x'.repeat(32 * 1024 + 1)}`,
      'p,7,7,Edm.Int32,s',
    ].join('\n');
    const { rows: imported, rejected } = await importCsv(text);
    expect(rejected.map(({ line, column, code }) => [line, column, code])).toEqual([
      [2, 3, 'InvalidInput'],
      [3, undefined, 'InvalidInput'],
      [4, 2, 'OutOfRangeInput'],
      [6, 1, 'OutOfRangeInput'],
      [7, 3, 'InvalidInput'],
      [8, 5, 'PropertyValueTooLarge'],
    ]);
    expect(rejected[1]?.message).toMatch(/^The row has 4 cells, but the header has 5\./);
    expect(imported).toBe(1);
  });

  it('is written with a type for each value', async () => {
    await tools.importText(
      '{"$table":"Orders"}\n{"PartitionKey":"p;","RowKey":"","A":"","B":1.0}\n{"PartitionKey":"q","RowKey":"\\"r\\"","C":true}',
    );
    expect(await tools.exportText({ format: 'csv' })).toBe(
      [
        'PartitionKey,RowKey,A,A@type,B,B@type,C,C@type',
        '"p;",,,Edm.String,1.0,Edm.Double,,',
        'q,"""r""",,,,,true,Edm.Boolean',
        '',
      ].join('\n'),
    );
  });

  it('cannot hold halves of characters or several tables', async () => {
    await tools.importText('{"$table":"Orders"}\n{"PartitionKey":"p","RowKey":"r","A":"\\ud83d"}');
    await expect(tools.exportText({ format: 'csv' })).rejects.toThrow('a string that is not valid Unicode');
    await tools.importText('{"$table":"Second"}');
    await expect(tools.exportText({ format: 'csv' })).rejects.toThrow('CSV holds only one table. Name the table.');
  });
});
