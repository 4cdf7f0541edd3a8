import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import type { Change } from '../../../src/entity/stored/change.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import { storageTraits } from '../../../src/protocol/service-traits.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import type { PageStart } from '../../../src/query/plan/plan.js';
import { planQuery } from '../../../src/query/plan/plan-query.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { StoreError } from '../../../src/store/store-error.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numbered,
  numberOf,
  readEntity,
  remove,
  replace,
  rowsOf,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const table = 'Table';

describe.each(grounds)('a table in the order of insertion, in $engine with $cacheBytes bytes of cache,', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  const open = async () => {
    store = tested.store();
    await store.openAccount(account, cosmosTraits);
  };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    await open();
    await store.createTable(account, table);
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  /** Reads a query page by page. Returns the keys of each page. */
  async function pagesOf(filter: string, rowsMax: number): Promise<readonly string[][]> {
    const pages: string[][] = [];
    let startAt: PageStart | undefined;
    do {
      const page = await store.openTable(account, table).readPage(planQuery(parseFilter(filter), { rowsMax, startAt }));
      if (isRejection(page)) throw new Error(page.reason);
      pages.push(page.rows.map((text) => `${keyOf(text, 'PartitionKey')}/${keyOf(text, 'RowKey')}`));
      startAt = page.next;
    } while (startAt);
    return pages;
  }
  const insertAll = async (...keys: readonly string[]) => {
    for (const [at, key] of keys.entries()) {
      const [partitionKey = '', rowKey = ''] = key.split('/');
      await commit(store, table, insert({ partitionKey, rowKey }, at));
    }
  };

  it('returns rows in the order of their insertion, across partitions [cosmos 5]', async () => {
    await insertAll('p/9', 'q/1', 'p/10', 'a/5');
    expect(await rowsOf(store, table)).toEqual(['p/9', 'q/1', 'p/10', 'a/5']);
    expect(await rowsOf(store, table, { order: 'key' })).toEqual(['a/5', 'p/10', 'p/9', 'q/1']);
  });

  it('keeps the place of a row that is replaced, merged or upserted [cosmos 5]', async () => {
    await insertAll('p/c', 'p/b', 'p/a');
    await commit(store, table, replace(keyAt('b'), 7, '*'));
    await commit(store, table, replace(keyAt('c'), 8));
    await commit(store, table, { kind: 'merge', key: keyAt('b'), properties: [], ifMatch: undefined });
    expect(await rowsOf(store, table)).toEqual(['p/c', 'p/b', 'p/a']);
    expect(numberOf(await readEntity(store, table, keyAt('b')))).toBe(7);
  });

  it('gives the last place to a row that was deleted and comes again', async () => {
    await insertAll('p/c', 'p/b', 'p/a');
    await commit(store, table, remove(keyAt('c')));
    expect(await rowsOf(store, table)).toEqual(['p/b', 'p/a']);
    await commit(store, table, replace(keyAt('c'), 1));
    expect(await rowsOf(store, table)).toEqual(['p/b', 'p/a', 'p/c']);
    await commit(store, table, remove(keyAt('b')), insert(keyAt('b')));
    expect(await rowsOf(store, table)).toEqual(['p/a', 'p/c', 'p/b']);
  });

  it('has the rows of a transaction in the order of its changes', async () => {
    await commit(store, table, ...['z', 'm', 'a', 'b'].map((row) => insert(keyAt(row))));
    await commit(store, table, remove(keyAt('m')), insert(keyAt('n')), replace(keyAt('z'), 5), insert(keyAt('0')));
    expect(await rowsOf(store, table)).toEqual(['p/z', 'p/a', 'p/b', 'p/n', 'p/0']);
  });

  it('changes one entity twice in a transaction [cosmos 6]', async () => {
    await insertAll('p/b', 'p/a');
    const merge = (value: number): Change => ({
      kind: 'merge',
      key: keyAt('b'),
      properties: numbered(value),
      ifMatch: '*',
    });
    await commit(store, table, merge(1), merge(2));
    expect(numberOf(await readEntity(store, table, keyAt('b')))).toBe(2);
    expect(await rowsOf(store, table)).toEqual(['p/b', 'p/a']);
  });

  it('continues a query at the place where a page has ended, also if that row is gone', async () => {
    await insertAll('p/5', 'q/4', 'p/3', 'q/2', 'p/1');
    expect(await pagesOf('', 2)).toEqual([['p/5', 'q/4'], ['p/3', 'q/2'], ['p/1']]);
    const page = await store.openTable(account, table).readPage(planQuery(undefined, { rowsMax: 2 }));
    if (isRejection(page)) throw new Error(page.reason);
    await commit(store, table, remove(keyAt('3')));
    await insertAll('a/0');
    const rest = planQuery(undefined, { rowsMax: 9, startAt: page.next });
    expect(await rowsOf(store, table, rest)).toEqual(['q/2', 'p/1', 'a/0']);
  });

  it.each([
    ["PartitionKey eq 'p'", [['p/5', 'p/3'], ['p/1']]],
    ["PartitionKey eq 'p' and RowKey ge '3'", [['p/5', 'p/3']]],
    ["PartitionKey eq 'p' and N ge 2", [['p/3', 'p/1']]],
    ["PartitionKey ge 'q'", [['q/4', 'q/2']]],
    ["RowKey lt '4'", [['p/3', 'q/2'], ['p/1']]],
    ["RowKey eq '3' or PartitionKey eq 'q'", [['q/4', 'p/3'], ['q/2']]],
    ["PartitionKey eq 'p' and RowKey eq '3'", [['p/3']]],
    ["PartitionKey eq 'p' and (RowKey eq '1' or RowKey eq '3' or RowKey eq '5')", [['p/5', 'p/3'], ['p/1']]],
    ["PartitionKey eq 'p' and RowKey eq '1' or PartitionKey eq 'q' and RowKey eq '4'", [['q/4', 'p/1']]],
    ["PartitionKey eq 'missing'", [[]]],
    ["PartitionKey lt ''", [[]]],
  ])('answers %s in the order of insertion', async (filter, pages) => {
    await insertAll('p/5', 'q/4', 'p/3', 'q/2', 'p/1');
    expect(await pagesOf(filter, 2)).toEqual(pages);
  });

  it('keeps the order when the store is opened again, with later rows after it', async () => {
    await insertAll('p/c', 'p/b', 'p/a');
    await tested.reopen();
    await open();
    await insertAll('p/0');
    expect(await rowsOf(store, table)).toEqual(['p/c', 'p/b', 'p/a', 'p/0']);
  });

  it('is empty after it was emptied or dropped and created again', async () => {
    await insertAll('p/c', 'p/b');
    await store.snapshots.exchange({ emptied: [{ account, names: [table] }] });
    expect(await rowsOf(store, table)).toEqual([]);
    await insertAll('p/b', 'p/a');
    expect(await rowsOf(store, table)).toEqual(['p/b', 'p/a']);
    await store.deleteTable(account, table);
    await store.createTable(account, table);
    await insertAll('p/d', 'p/a');
    expect(await rowsOf(store, table)).toEqual(['p/d', 'p/a']);
  });

  it('gives places in the order in which writers that write at once are answered', async () => {
    const keys = Array.from({ length: 40 }, (_, at) => keyAt(String((at * 17) % 40)));
    await Promise.all(keys.map((key) => commit(store, table, insert(key))));
    expect(await rowsOf(store, table)).toEqual(keys.map(({ rowKey }) => `p/${rowKey}`));
  });

  it('is in a view in its order, which an export writes, with everything of one moment', async () => {
    await insertAll('p/c', 'q/b', 'p/a', 'a/z');
    await store.snapshots?.take('s', [account]);
    await commit(store, table, remove(keyAt('b', 'q')));
    await insertAll('q/b');
    const view = await store.openView(() => true);
    await insertAll('p/0');
    const texts: string[] = [];
    for await (const part of view.read()) if (part.kind === 'entities') texts.push(...part.texts);
    await view.close();
    expect(texts.map((text) => `${keyOf(text, 'PartitionKey')}/${keyOf(text, 'RowKey')}`)).toEqual([
      'p/c',
      'p/a',
      'a/z',
      'q/b',
    ]);
  });

  it('has names of tables that differ in letter case alone [cosmos 13]', async () => {
    await store.createTable(account, 'table');
    await commit(store, 'table', insert(keyAt('lower')));
    await commit(store, 'Table', insert(keyAt('upper')));
    expect(await rowsOf(store, 'table')).toEqual(['p/lower']);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Table', 'table']);
    expect(await store.deleteTable(account, 'TABLE')).toEqual({ reason: 'table-missing', at: 0 });
    await store.deleteTable(account, 'table');
    expect(await rowsOf(store, 'Table')).toEqual(['p/upper']);
  });

  it('rejects the account to another service until it is reset', async () => {
    const other = async () => store.openAccount(account, storageTraits);
    await tested.reopen();
    store = tested.store();
    await expect(other()).rejects.toThrow(StoreError);
    // A server may serve an account that it has not opened, for example from a file that has changed.
    await expect(store.createTable(account, 'Other')).rejects.toThrow(StoreError);
    await expect(other()).rejects.toThrow(
      "The account account has data of the service 'cosmos', and is to be used with the service 'storage'.",
    );
    await open();
    await store.reset(account);
    await tested.reopen();
    store = tested.store();
    await other();
    await store.createTable(account, table);
    await expect(async () => store.openAccount(account, cosmosTraits)).rejects.toThrow(StoreError);
    await commit(store, table, insert(keyAt('b')), insert(keyAt('a')));
    expect(await rowsOf(store, table)).toEqual(['p/a', 'p/b']);
  });

  it('is in branches and restored accounts as it was', async () => {
    await insertAll('p/c', 'p/b', 'p/a');
    await store.snapshots.take('s', [account]);
    await commit(store, table, remove(keyAt('b')));
    await insertAll('p/b');
    const branch = { account: 'branch', from: { account, snapshot: 's' }, key: '', expires: 0 };
    expect(await store.snapshots.branch(branch)).toBe(1);
    const handle = store.openTable('branch', table);
    await handle.commit([insert(keyAt('0'))]);
    const page = await handle.readPage({ ranges: [{}], rowsMax: 9 });
    expect(isRejection(page) || page.rows.map((text) => keyOf(text, 'RowKey'))).toEqual(['c', 'b', 'a', '0']);
    expect(await rowsOf(store, table)).toEqual(['p/c', 'p/a', 'p/b']);
    await store.snapshots.exchange({ restored: { snapshot: 's', accounts: [{ from: account, to: account }] } });
    expect(await rowsOf(store, table)).toEqual(['p/c', 'p/b', 'p/a']);
  });
});
