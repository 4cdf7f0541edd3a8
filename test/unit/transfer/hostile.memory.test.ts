import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import type { ImportWish, TransferFormat } from '../../../src/transfer/contract.js';
import { writeCsv } from '../../../src/transfer/csv/write-csv.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { type TransferTools, transferOf } from '../../support/bodies/transfer-tools.js';
import { usedHeapBytes } from '../../support/measures/used-heap.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, rowsOf } from '../../support/store/store-changes.js';

const mib = 1024 * 1024;

/** How often a file repeats a mebibyte: of one row, of a row whose every character opens a list, or of many rows. The last two take time. */
const [longRow, deepRow, manyRows] = [64, 16, 4];

/** How much the heap may grow during an import: a row and a transaction, several times. */
const growthMax = 48 * mib;

const row = '{"PartitionKey":"p","RowKey":"r"}';

/** A text of a mebibyte. */
const long = 'x'.repeat(mib);

/** A row of little more than a mebibyte, of which a few characters are stored. */
const rowBeside = (at: number) => `{"PartitionKey":"p","RowKey":"a row with the number ${at}","odata.id":"${long}"}\n`;

describe('A hostile file', () => {
  let tested: StoreUnderTest;
  let tools: TransferTools;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 0 });
    tools = transferOf(tested.store());
  });
  afterEach(() => tested.dispose());

  /** Imports texts, and returns the report and the growth of the heap before the last one. */
  const importTexts = async (format: TransferFormat, texts: Iterable<string>, end: string, wish: ImportWish = {}) => {
    const store = tested.store();
    const accounts = new Accounts([{ name: account, keys: ['a2V5'] }]);
    const before = await usedHeapBytes();
    let growth = 0;
    const bytes = async function* () {
      for (const text of texts) yield Buffer.from(text);
      growth = (await usedHeapBytes()) - before;
      yield Buffer.from(end);
    };
    const transfer = new Transfer(store, new State(store, accounts, () => {}));
    const report = await transfer.import([{ format, defaultTable: 'Orders', open: bytes }], wish);
    return { report, growth };
  };

  /** Imports a file that repeats a piece. */
  const importRepeated = (format: TransferFormat, start: string, piece: string, end: string, times: number) =>
    importTexts(format, [start, ...Array(times).fill(piece.repeat(mib / piece.length))], end);

  it.each([
    ['a line without an end', 'ndjson', `${row}\n{"PartitionKey":"`, 'x', `"}\n${row.replace('r"', 's"')}`, longRow],
    ['a value without an end', 'json', `[${row},"`, 'x', `",${row.replace('r"', 's"')}]`, longRow],
    ['a list in a list without an end', 'json', `[${row},`, '[', `${']'.repeat(8)}`, deepRow],
    ['a name without an end', 'json', `{"tables":{"A":[],"`, 'x', `":1}}`, longRow],
    ['a cell without an end', 'csv', 'PartitionKey,RowKey\np,r\np,"', 'x', '"\np,s', longRow],
    ['a record of cells without an end', 'csv', 'PartitionKey,RowKey\np,r\n', ',', '\np,s', manyRows],
    [
      'lines that are rejected',
      'ndjson',
      `${row}\n`,
      '{"PartitionKey":"p"}\n'.padEnd(32),
      row.replace('r"', 's"'),
      manyRows,
    ],
    ['blank lines', 'ndjson', `${row}\n`, '\n', row.replace('r"', 's"'), manyRows],
  ] as const)('with %s takes little memory', async (what, format, start, piece, end, times) => {
    const imported = await importRepeated(format, start, piece, end, times).catch((error: Error) => ({
      error,
      growth: 0,
    }));
    expect(imported.growth).toBeLessThan(growthMax);
    if ('error' in imported)
      expect([what, imported.error.name]).toEqual([expect.stringMatching(/list|name/), 'StateFault']);
    else {
      expect(imported.report.rows).toBe(2);
      if (what !== 'blank lines') expect(imported.report.rejectedRows).toBeGreaterThan(0);
      expect(await rowsOf(tested.store(), 'Orders')).toEqual(['p/r', 'p/s']);
    }
  });

  it.each([
    ['a long key', 'ndjson', '', (at: number) => `{"PartitionKey":"${long}","RowKey":"${at}"}\n`, '', {}],
    ['a long name of a table', 'ndjson', '', (at: number) => `{"$table":"${at}${long}"}\n`, '', {}],
    [
      'a long name of a property',
      'ndjson',
      '',
      (at: number) => `{"PartitionKey":"p","RowKey":"r","${at}${long}":1}\n`,
      '',
      {},
    ],
    ['text that is ignored', 'ndjson', '', rowBeside, '', {}],
    ['text that is ignored, in a dry run,', 'ndjson', '', rowBeside, '', { dryRun: true }],
    ['text that is ignored, in an import of everything or nothing,', 'ndjson', '', rowBeside, '', { strict: true }],
    ['text that is ignored', 'csv', 'PartitionKey,RowKey,Timestamp\n', (at: number) => `p,${at},${long}\n`, '', {}],
    ['types to choose', 'csv', 'PartitionKey,RowKey,A\n', (at: number) => `p,${at},${long}\n`, '', { infer: true }],
    [
      'a long account',
      'json',
      '{"collections":[{"name":"$TABLES_COLLECTION$"}',
      (at: number) => `,{"name":"${long}$T${at}"}`,
      ']}',
      { account },
    ],
  ] as const)('whose rows have %s keeps little of each in memory: %s', async (_, format, start, rowAt, end, wish) => {
    function* texts() {
      yield start;
      for (let at = 100; at < 132; at++) yield rowAt(at);
    }
    const { growth } = await importTexts(format, texts(), end, wish);
    expect(growth).toBeLessThan(growthMax / 3);
  });

  it('in typed CSV has a long row for each property, and its export keeps little of them', async () => {
    async function* parts() {
      for (let at = 100; at < 132; at++) {
        const text = `{"odata.etag":"","PartitionKey":"p","RowKey":"${at}","Timestamp":"","A property ${at}":"${long}"}`;
        yield { kind: 'entities', texts: [text] } as const;
      }
    }
    const before = await usedHeapBytes();
    const text = await writeCsv(parts, { select: undefined });
    expect((await usedHeapBytes()) - before).toBeLessThan(growthMax / 3);
    expect(text).toBeDefined();
  });

  it('with more columns than a spreadsheet is rejected', async () => {
    const header = `PartitionKey,RowKey,${Array.from({ length: 100_000 }, (_, at) => `c${at}`).join(',')}\n`;
    await expect(tools.importText(header, { format: 'csv' })).rejects.toThrow(
      'Line 1: The header has too many columns.',
    );
  });

  it('with deep JSON is rejected row by row', async () => {
    const deep = `{"PartitionKey":"p","RowKey":"d","X":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { rejected } = await tools.importText(`{"$table":"Orders"}\n${deep}\n${row}`);
    expect(rejected).toMatchObject([{ line: 2, code: 'InvalidInput' }]);
  });

  it('of Azurite with deep JSON is rejected row by row', async () => {
    const deep = `{"PartitionKey":"p","RowKey":"d","properties":{"X":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const rows = `{"name":"${account}$Orders","data":[${deep},${row}]}`;
    const text = `{"collections":[{"name":"$TABLES_COLLECTION$","data":[]},${rows}]}`;
    const report = await tools.importText(text, { format: 'json' });
    expect(report).toMatchObject({ rows: 1, rejected: [{ code: 'InvalidInput' }] });
  });

  it.each(['ndjson', 'json', 'csv'] as const)('with names of prototypes goes in and out in %s', async (format) => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
    const text = `{"$table":"constructor"}\n{"PartitionKey":"__proto__","RowKey":"r",${names.map((name) => `"${name}":"x"`).join(',')}}\n`;
    await tools.importText(text);
    const exported = await tools.exportText({ format });
    await tested.store().reset(account);
    expect(await tools.importText(exported, { format, defaultTable: 'constructor' })).toMatchObject({ rows: 1 });
    expect(await tools.exportText()).toBe(text);
  });

  it('with names of prototypes in a map or a header of CSV is read as names', async () => {
    const map = JSON.parse('{"columns":{"__proto__":"RowKey"},"types":{"constructor":"Edm.Int32"}}');
    await tools.importText('PartitionKey,__proto__,constructor\np,r,5\n', {
      format: 'csv',
      map,
      defaultTable: 'Orders',
    });
    expect(await tools.exportText()).toContain('{"PartitionKey":"p","RowKey":"r","constructor":5}');
    const report = await tools.importText('PartitionKey,RowKey,__proto__\np,s,5\n', {
      format: 'csv',
      infer: true,
      defaultTable: 'Orders',
    });
    expect(JSON.stringify(report.inferred)).toBe('{"Orders":{"__proto__":"Edm.Int32"}}');
  });
});
