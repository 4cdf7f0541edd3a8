import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.js';
import { transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, replace } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('An export, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    for (const name of ['Orders', 'Empty']) await store.createTable(account, name);
    await commit(store, 'Orders', insert(keyAt('a'), 1), insert(keyAt('b'), 2));
  });
  afterEach(() => tested.dispose());

  const [a, b] = ['{"PartitionKey":"p","RowKey":"a","N":1}', '{"PartitionKey":"p","RowKey":"b","N":2}'];

  it('has every table and its entities, without ETag and Timestamp', async () => {
    await store.openTable(account, 'Orders').writeAccessPolicies([{ id: 'one', permission: 'r' }]);
    expect((await transferOf(store).exportText()).split('\n')).toEqual([
      '{"$table":"Empty"}',
      '{"$table":"Orders","policies":[{"id":"one","permission":"r"}]}',
      a,
      b,
      '',
    ]);
  });

  it('has the table, the entities and the properties that are asked for', async () => {
    const { exportText } = transferOf(store);
    expect(await exportText({ table: 'orders', filter: 'N eq 2' })).toBe(`{"$table":"Orders"}\n${b}\n`);
    const keys = '{"PartitionKey":"p","RowKey":"a"}\n{"PartitionKey":"p","RowKey":"b"}';
    expect(await exportText({ table: 'orders', select: ['Other'] })).toBe(`{"$table":"Orders"}\n${keys}\n`);
    expect(await exportText({ table: 'orders', select: ['N'] })).toBe(`{"$table":"Orders"}\n${a}\n${b}\n`);
    await expect(exportText({ table: 'Missing' })).rejects.toThrow('There is no table Missing.');
    await expect(exportText({ filter: 'N eq' })).rejects.toThrow("Expression expected at position 4 in 'N eq'.");
    await expect(exportText({ format: 'constructor' as never })).rejects.toThrow("format cannot be 'constructor'.");
  });

  it('names the accounts if there are several', async () => {
    await store.createTable('other', 'Orders');
    const { exportText } = transferOf(store, 'other');
    expect((await exportText()).split('\n').filter((line) => line.includes('$table'))).toEqual([
      '{"$table":"Empty","account":"account"}',
      '{"$table":"Orders","account":"account"}',
      '{"$table":"Orders","account":"other"}',
    ]);
    expect(await exportText({ account: 'other' })).toBe('{"$table":"Orders"}\n');
  });

  it('shows one moment: what is written after its begin is not in it', async () => {
    const view = await store.openView(() => true);
    await commit(store, 'Orders', insert(keyAt('c'), 3), replace(keyAt('a'), 4));
    await store.deleteTable(account, 'Empty');
    await store.createTable(account, 'Later');
    const parts = [];
    for await (const part of view.read())
      parts.push(part.kind === 'table' ? part.name : 'texts' in part && part.texts.length);
    expect(parts).toEqual(['Empty', 'Orders', 2]);
    await view.close();
  });

  it('can be left before its end', async () => {
    const view = await store.openView(() => true);
    for await (const part of view.read()) if (part.kind === 'table') break;
    await view.close();
    expect(await transferOf(store).exportText({ table: 'Empty' })).toBe('{"$table":"Empty"}\n');
  });
});

describe.each(grounds)('An export of layers, in $engine with $cacheBytes bytes of cache:', (ground) => {
  it('has the rows of all layers', async () => {
    const tested = await openTestStore(ground);
    try {
      const store = tested.store();
      await store.createTable(account, 'Orders');
      await commit(store, 'Orders', insert(keyAt('a'), 1), insert(keyAt('b'), 2));
      await store.snapshots.take('before', [account]);
      await commit(store, 'Orders', replace(keyAt('b'), 3), insert(keyAt('c'), 4));
      expect((await transferOf(store).exportText()).match(/"N":\d/g)).toEqual(['"N":1', '"N":3', '"N":4']);
    } finally {
      await tested.dispose();
    }
  });
});
