import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import type { Store } from '../../../src/store/store.js';
import { type TransferTools, transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, numberOf, readEntity, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const table = '{"$table":"Orders"}';
const row = (rowKey: string, n = 1) => `{"PartitionKey":"p","RowKey":"${rowKey}","N":${n}}`;
const lines = (...texts: readonly string[]) => texts.join('\n');

describe.each(grounds)('An import, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let tools: TransferTools;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    tools = transferOf(store, 'other');
  });
  afterEach(() => tested.dispose());

  it('creates tables, also empty ones, and inserts their entities', async () => {
    const report = await tools.importText(lines(table, row('a'), '', row('b'), '{"$table":"Empty"}'));
    expect(report).toEqual({ rows: 2, tables: 2, rejectedRows: 0, rejected: [], ms: expect.any(Number) });
    expect(await rowsOf(store, 'orders')).toEqual(['p/a', 'p/b']);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Empty', 'Orders']);
  });

  it('takes more rows than one transaction has', async () => {
    const rows = Array.from({ length: 1201 }, (_, at) => row(`r${at}`));
    expect(await tools.importText(lines(table, ...rows), { pieceBytes: 1000 })).toMatchObject({ rows: 1201 });
    expect(await rowsOf(store, 'Orders')).toHaveLength(1201);
  });

  it('reports each rejected row with its place and the error of the service, and imports the others', async () => {
    const { rows, rejectedRows, rejected } = await tools.importText(
      lines(
        table,
        row('a'),
        '{"PartitionKey":"a/b","RowKey":"r"}',
        row('a'),
        '{"PartitionKey":"p","RowKey":"g","G@odata.type":"Edm.Guid","G":"x"}',
        '{"PartitionKey":"p"}',
        '{"PartitionKey":"p","RowKey":"t",}',
        `{"PartitionKey":"p","RowKey":"s","S":"${'x'.repeat(32 * 1024 + 1)}"}`,
        row('z'),
      ),
    );
    expect(rejected.map(({ line, column, code, rowKey }) => [line, column, code, rowKey])).toEqual([
      [3, 2, 'OutOfRangeInput', 'r'],
      [4, undefined, 'EntityAlreadyExists', 'a'],
      [5, 60, 'InvalidInput', 'g'],
      [6, undefined, 'PropertiesNeedValue', undefined],
      [7, 34, 'InvalidInput', undefined],
      [8, 34, 'PropertyValueTooLarge', 's'],
    ]);
    expect(rejected[1]).toMatchObject({
      table: 'Orders',
      message: expect.stringMatching(/^An entity with these keys/),
    });
    expect([rows, rejectedRows]).toEqual([2, 6]);
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a', 'p/z']);
  });

  it('lists the first 1,000 rejected rows and counts all', async () => {
    const rows = Array.from({ length: 1500 }, () => row('same'));
    const { rejected, rejectedRows } = await tools.importText(lines(table, ...rows));
    expect([rejected.length, rejectedRows]).toEqual([1000, 1499]);
  });

  it('inserts, replaces or merges', async () => {
    await tools.importText(lines(table, '{"PartitionKey":"p","RowKey":"r","N":1,"O":1}'));
    expect(await tools.importText(lines(table, row('r', 2)))).toMatchObject({ rows: 0, rejectedRows: 1 });
    await tools.importText(lines(table, row('r', 3)), { mode: 'merge' });
    expect(JSON.parse((await readEntity(store, 'Orders', keyAt('r'))) ?? '')).toMatchObject({ N: 3, O: 1 });
    await tools.importText(lines(table, row('r', 4)), { mode: 'replace' });
    expect(JSON.parse((await readEntity(store, 'Orders', keyAt('r'))) ?? '')).not.toHaveProperty('O');
  });

  it('takes the last of two rows of one entity in a replacement', async () => {
    await tools.importText(lines(table, row('r', 1), row('r', 2)), { mode: 'replace' });
    expect(numberOf(await readEntity(store, 'Orders', keyAt('r')))).toBe(2);
  });

  it('changes nothing in a dry run, and reports what an import would reject', async () => {
    await store.createTable(account, 'Orders');
    await commit(store, 'Orders', insert(keyAt('a')));
    const text = lines(
      table,
      row('a'),
      row('b'),
      '{"$table":"New","policies":[]}',
      row('c'),
      '{"$table":"2"}',
      row('d'),
    );
    const report = await tools.importText(text, { dryRun: true });
    expect(report).toMatchObject({ rows: 2, rejectedRows: 3 });
    expect(report.rejected.map(({ line, code }) => [line, code])).toEqual([
      [2, 'EntityAlreadyExists'],
      [6, 'OutOfRangeInput'],
      [7, 'OutOfRangeInput'],
    ]);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Orders']);
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a']);
  });

  it('finds two rows of one entity in a dry run, as an import does', async () => {
    const again = [row('a'), row('a'), '{"$table":"orders"}', row('a'), '{"$table":"Other"}', row('a'), row('A')];
    for (const mode of ['insert', 'replace', 'merge'] as const) {
      const dry = await tools.importText(lines(table, ...again), { mode, dryRun: true });
      const made = await tools.importText(lines(table, ...again), { mode });
      expect({ ...dry, ms: 0 }).toEqual({ ...made, ms: 0, undo: undefined });
      expect(dry.rejected.map(({ line, code }) => [line, code])).toEqual(
        mode === 'insert' ? [3, 5].map((line) => [line, 'EntityAlreadyExists']) : [],
      );
    }
  });

  it('has the limits of the service of its account, in a dry run, too', async () => {
    await store.openAccount(account, cosmosTraits);
    const named = `{"PartitionKey":"p","RowKey":"r","${'N'.repeat(300)}":1}`;
    const text = lines(table, named, row('k'.repeat(300)));
    for (const dryRun of [true, false]) {
      const { rows, rejected } = await tools.importText(text, { dryRun });
      expect([rows, rejected.map(({ line, code }) => [line, code])]).toEqual([1, [[3, 'PropertyValueTooLarge']]]);
    }
  });

  it('sets stored access policies, but not over those of a table that exists unless it replaces', async () => {
    const policies = (id: string) => `{"$table":"Orders","policies":[{"id":"${id}","permission":"r"}]}`;
    const stored = () => store.openTable(account, 'Orders').readAccessPolicies();
    await tools.importText(policies('one'));
    expect(await stored()).toEqual([{ id: 'one', permission: 'r' }]);
    await tools.importText(policies('two'));
    expect(await stored()).toEqual([{ id: 'one', permission: 'r' }]);
    await tools.importText(policies('two'), { mode: 'replace' });
    expect(await stored()).toEqual([{ id: 'two', permission: 'r' }]);
    expect((await tools.importText(policies(''))).rejected).toMatchObject([{ line: 1, code: 'InvalidInput' }]);
  });

  it.each([['{"$table":"Second","policies":[{"id":""}]}'], ['{"$table":5}'], ['{"$table":"Second",}']])(
    'puts the rows after %s into no other table',
    async (broken) => {
      const { rejected } = await tools.importText(lines(table, row('a'), broken, row('b'), table, row('c')));
      expect(rejected.map(({ line, code }) => [line, code])).toEqual([
        [3, 'InvalidInput'],
        [4, 'TableNotFound'],
      ]);
      expect(await rowsOf(store, 'Orders')).toEqual(['p/a', 'p/c']);
    },
  );

  it('shows the beginning of a name that is too long', async () => {
    const text = lines(`{"$table":"${'x'.repeat(10_000)}"}`, row('a'));
    const { rejected } = await tools.importText(text);
    expect(rejected.map(({ table }) => table)).toEqual(['x'.repeat(256), 'x'.repeat(256)]);
  });

  it('puts the rows after a first line that names no table into no default one', async () => {
    const text = lines('{"$table":5}', row('a'), '{"$table":"Second"}', row('b'));
    for (const wish of [{}, { defaultTable: 'Orders' }]) {
      const { rejected } = await tools.importText(text, { mode: 'replace', ...wish });
      expect(rejected.map(({ line, code }) => [line, code])).toEqual([
        [1, 'InvalidInput'],
        [2, 'TableNotFound'],
      ]);
    }
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Second']);
  });

  it('goes to the account that the data names, unless the wish names one', async () => {
    await tools.importText(lines('{"$table":"Orders","account":"other"}', row('a')));
    expect(await store.listTables('other')).toHaveLength(1);
    await tools.importText(lines('{"$table":"Orders","account":"missing"}', row('a')), { account });
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a']);
    await expect(tools.importText('{"$table":"Orders","account":"missing"}')).rejects.toThrow(
      'There is no account missing.',
    );
  });

  it('goes to the table of the wish', async () => {
    await tools.importText(lines(table, row('a')), { table: 'Renamed' });
    await tools.importText(row('b'), { table: 'Renamed' });
    await tools.importText(row('c'), { defaultTable: 'Renamed' });
    expect(await rowsOf(store, 'Renamed')).toEqual(['p/a', 'p/b', 'p/c']);
    const two = lines(table, '{"$table":"Second"}', row('c'));
    await expect(tools.importText(two, { table: 'Renamed' })).rejects.toThrow('Line 2 names a second table.');
    await expect(tools.importText(row('d'))).rejects.toThrow('Line 1 does not belong to a table');
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Renamed']);
  });

  it('rejects text that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from(lines(table, row('a'), '')), Buffer.from([0x22, 0xff, 0x22])]);
    await expect(tools.importText(bytes)).rejects.toThrow('The file is not valid UTF-8');
  });

  it.each([{ mode: 'upsert' }, { format: 'xml' }])('rejects %j', async (wish) => {
    await expect(tools.importText(table, wish as never)).rejects.toThrow('Use one of:');
  });

  it('keeps a byte order mark out of the first line', async () => {
    expect(await tools.importText(`\ufeff${lines(table, row('a'))}`)).toMatchObject({ rows: 1, tables: 1 });
  });
});

describe.each(grounds)('A strict import, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.createTable(account, 'Orders');
    await store.createTable(account, 'Others');
    await commit(store, 'Orders', insert(keyAt('old')));
  });
  afterEach(() => tested.dispose());

  it('brings its tables back to what they were if a row is rejected, and leaves no snapshot', async () => {
    const rows = Array.from({ length: 1200 }, (_, at) => row(`r${at}`));
    const text = lines('{"$table":"New"}', row('a'), table, ...rows, row('old'));
    const before = await readEntity(store, 'Orders', keyAt('old'));
    await expect(transferOf(store).importText(text, { strict: true })).rejects.toThrow(
      /^Line 1204: Orders \('p', 'old'\): EntityAlreadyExists: .* Nothing was imported\.$/,
    );
    expect(await rowsOf(store, 'Orders')).toEqual(['p/old']);
    expect(await readEntity(store, 'Orders', keyAt('old'))).toBe(before);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Orders', 'Others']);
    expect(await store.snapshots.list()).toEqual([]);
  });

  it('imports everything if no row is rejected', async () => {
    expect(await transferOf(store).importText(lines(table, row('a')), { strict: true })).toMatchObject({ rows: 1 });
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a', 'p/old']);
    expect(await store.snapshots.list()).toEqual([]);
  });
});
