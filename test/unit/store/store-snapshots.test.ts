import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import type { SnapshotStore } from '../../../src/store/snapshots.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { copyAccount } from '../../support/store/copy-account.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  remove,
  replace,
  rowsOf,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('snapshots, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let snapshots: SnapshotStore;
  const use = () => {
    store = tested.store();
    snapshots = store.snapshots as SnapshotStore;
  };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    use();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', ...['a', 'b', 'c', 'd'].map((row, at) => insert(keyAt(row), at)));
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  /** Returns the number of tables that an account gets. */
  const restore = async (name: string, to = account) => {
    const restored = { snapshot: name, accounts: [{ from: account, to }] };
    return (await snapshots.exchange({ restored }))?.restored;
  };
  const textsOf = async (name = 'Table', from = account) => {
    const page = await store.openTable(from, name).readPage({ ranges: [{}], rowsMax: 1000 });
    return isRejection(page) ? page.reason : page.rows;
  };
  const tablesOf = async (name = account) => (await store.listTables(name)).map((table) => table.name);

  it('bring back every entity as it was, byte for byte', async () => {
    const before = await textsOf();
    await snapshots.take('one', [account]);
    await commit(store, 'Table', replace(keyAt('a'), 9), remove(keyAt('b')), insert(keyAt('e')), insert(keyAt('0')));
    expect(await rowsOf(store, 'Table')).toEqual(['p/0', 'p/a', 'p/c', 'p/d', 'p/e']);

    expect(await restore('one')).toBe(1);

    expect(await textsOf()).toEqual(before);
  });

  it('change nothing if one of the accounts is not in them', async () => {
    await snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('a')));
    const changed = await textsOf();
    const moves = [account, 'other'].map((from) => ({ from, to: from }));
    expect(await snapshots.exchange({ restored: { snapshot: 'one', accounts: moves } })).toBeUndefined();
    expect(await textsOf()).toEqual(changed);
  });

  it('bring back tables, policies and settings, and remove what is newer', async () => {
    await store.createTable(account, 'Second');
    await store.openTable(account, 'Table').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
    const settings = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
    await store.writeServiceProperties(account, settings);
    const listed = await store.listTables(account);
    await snapshots.take('one', [account]);
    await store.reset(account);
    for (const name of ['Third', 'Table']) await store.createTable(account, name);

    expect(await restore('one')).toBe(2);

    expect(await store.listTables(account)).toMatchObject(listed.map(({ name, created }) => ({ name, created })));
    expect(await store.openTable(account, 'Table').readAccessPolicies()).toEqual([{ id: 'reader', permission: 'r' }]);
    expect(await store.readServiceProperties(account)).toEqual(settings);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
  });

  it('can be restored any number of times, into any account', async () => {
    await snapshots.take('one', [account]);
    for (let time = 0; time < 3; time++) {
      await commit(store, 'Table', replace(keyAt('a'), time + 10), remove(keyAt('d')));
      expect(await restore('one')).toBe(1);
      expect(await restore('one', 'other')).toBe(1);
      expect(await textsOf('Table', 'other')).toEqual(await textsOf());
    }
    expect(numberOf(await readEntity(store, 'Table', keyAt('a')))).toBe(0);
  });

  it('leave a table that works as before', async () => {
    const [tag] = await commit(store, 'Table', replace(keyAt('a'), 1));
    await snapshots.take('one', [account]);
    const table = store.openTable(account, 'Table');

    expect(await table.commit([insert(keyAt('a'))])).toMatchObject({ reason: 'entity-exists' });
    expect(await table.commit([replace(keyAt('a'), 2, 'W/"other"')])).toMatchObject({ reason: 'etag-differs' });
    expect(await table.commit([remove(keyAt('missing'))])).toMatchObject({ reason: 'entity-missing' });
    await commit(store, 'Table', replace(keyAt('a'), 3, tag));
    await commit(store, 'Table', { kind: 'merge', key: keyAt('c'), properties: [], ifMatch: '*' });
    await commit(store, 'Table', remove(keyAt('b')), insert(keyAt('b'), 7), remove(keyAt('d')));

    expect(await readEntity(store, 'Table', keyAt('d'))).toBeUndefined();
    expect(await table.commit([remove(keyAt('d'))])).toMatchObject({ reason: 'entity-missing' });
    const numbers = ((await textsOf()) as readonly string[]).map(numberOf);
    expect(numbers).toEqual([3, 7, 2]);
    for (const row of ['a', 'b', 'c']) expect(await readEntity(store, 'Table', keyAt(row))).toBeDefined();
  });

  it('are read page by page, through all layers', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => String(at).padStart(4, '0'));
    await commit(store, 'Table', ...rows.map((row) => insert(keyAt(row, 'q'))));
    await snapshots.take('one', [account]);
    await commit(store, 'Table', ...rows.filter((_, at) => at % 3 === 0).map((row) => remove(keyAt(row, 'q'))));
    await snapshots.take('two', [account]);
    await commit(store, 'Table', ...rows.filter((_, at) => at % 6 === 0).map((row) => insert(keyAt(row, 'q'))));
    const expected = rows.filter((_, at) => at % 3 !== 0 || at % 6 === 0).map((row) => `q/${row}`);

    const found: string[] = [];
    let from: { partitionKey: string; rowKey: string } | undefined = { partitionKey: 'q', rowKey: '' };
    while (from) {
      const ranges = [{ from: { ...from, side: 'before' as const } }];
      const page = await store.openTable(account, 'Table').readPage({ ranges, rowsMax: 700 });
      if (isRejection(page)) throw new Error(page.reason);
      found.push(...page.rows.map((text) => `q/${(JSON.parse(text) as { RowKey: string }).RowKey}`));
      from = page.next;
    }

    expect(found).toEqual(expected);
    expect(await rowsOf(store, 'Table', { ranges: [{ from: { partitionKey: 'q', side: 'before' } }] })).toEqual(
      expected,
    );
  });

  it('have later changes with later ETags', async () => {
    const tags = new Set<string | undefined>();
    for (let time = 0; time < 5; time++) {
      await snapshots.take('one', [account]);
      tags.add((await commit(store, 'Table', replace(keyAt('a'), 1)))[0]);
      await restore('one');
      tags.add((await commit(store, 'Table', replace(keyAt('a'), 2)))[0]);
    }
    expect(tags.size).toBe(10);
  });

  it('are replaced by one of the same name, and deleted', async () => {
    await snapshots.take('one', [account]);
    await commit(store, 'Table', replace(keyAt('a'), 5));
    const { at } = await snapshots.take('one', [account]);
    await snapshots.take('two', [account, 'other']);
    expect(await snapshots.list()).toEqual([
      { name: 'one', at, accounts: [{ name: account, tables: 1 }] },
      {
        name: 'two',
        at: expect.any(String),
        accounts: [
          { name: account, tables: 1 },
          { name: 'other', tables: 0 },
        ],
      },
    ]);
    await commit(store, 'Table', replace(keyAt('a'), 6));
    await restore('one');
    expect(numberOf(await readEntity(store, 'Table', keyAt('a')))).toBe(5);

    expect(await snapshots.delete('one')).toBe(true);
    expect(await snapshots.delete('one')).toBe(false);
    expect(await restore('one')).toBeUndefined();
    expect(numberOf(await readEntity(store, 'Table', keyAt('a')))).toBe(5);
  });

  it('survive a restart, and their layers too', async () => {
    await snapshots.take('one', [account]);
    await commit(store, 'Table', replace(keyAt('a'), 5), remove(keyAt('b')));
    await tested.reopen();
    use();
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/c', 'p/d']);
    await snapshots.take('two', [account]);
    await tested.reopen();
    use();
    expect((await snapshots.list()).map(({ name }) => name)).toEqual(['one', 'two']);
    await restore('one');
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
    await restore('two');
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/c', 'p/d']);
  });

  it('restore some tables of an account, and nothing else', async () => {
    await store.createTable(account, 'Second');
    await snapshots.take('one', [account]);
    for (const name of ['Table', 'Second', 'New']) {
      await store.createTable(account, name);
      await commit(store, name, insert(keyAt('new')));
    }
    const concerns = (_: string, name: string) => name !== 'Second';
    expect(
      await snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account, concerns }] } }),
    ).toEqual({ removed: 2, restored: 1 });
    expect(await tablesOf()).toEqual(['Second', 'Table']);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
    expect(await rowsOf(store, 'Second')).toEqual(['p/new']);
  });

  it('make a copy of an account that shares nothing with it', async () => {
    await commit(store, 'Table', remove(keyAt('d')));
    expect(await copyAccount(snapshots, account, 'copy')).toBe(1);
    await commit(store, 'Table', replace(keyAt('a'), 8));
    await store.openTable('copy', 'Table').commit([remove(keyAt('b'))]);

    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
    expect((await textsOf('Table', 'copy')).length).toBe(2);
    await store.reset(account);
    expect(((await textsOf('Table', 'copy')) as readonly string[]).map(numberOf)).toEqual([0, 2]);
    await store.reset('copy');
    expect(await tablesOf('copy')).toEqual([]);
  });

  it.each(['as it is', 'of a snapshot'] as const)(
    'freeze an account %s, to be read while others write',
    async (what) => {
      const before = await textsOf();
      await snapshots.take('one', [account]);
      if (what === 'of a snapshot') await commit(store, 'Table', remove(keyAt('a')));
      const state = what === 'as it is' ? { account } : { account, snapshot: 'one' };
      const frozen = await snapshots.freeze(state);
      await commit(store, 'Table', remove(keyAt('b')), insert(keyAt('e')));
      await store.createTable(account, 'Other');
      await snapshots.delete('one');
      await store.deleteTable(account, 'Table');
      await store.swept();
      expect(frozen?.tables).toMatchObject([{ account, name: 'Table', policies: [] }]);
      const [table] = frozen?.tables ?? [];
      const texts: string[] = [];
      if (frozen && table) for await (const part of frozen.entitiesByKey(table)) texts.push(...part);
      expect(texts).toEqual(before);
      await frozen?.close();
      expect(await snapshots.freeze({ account, snapshot: 'one' })).toBeUndefined();
      expect((await snapshots.branches()).map((branch) => branch.account)).toEqual([]);
    },
  );

  it('make branches that leave nothing, not even of requests that were in flight when they ended', async () => {
    const branch = { account: 'branch', from: { account }, key: 'key', expires: 1 };
    expect(await snapshots.branch(branch)).toBe(1);
    expect(await snapshots.branches()).toEqual([branch]);
    const table = store.openTable('branch', 'Table');
    expect(await table.find()).toBeDefined();

    expect(await snapshots.endBranch('branch')).toBe(true);
    expect(await snapshots.endBranch('branch')).toBe(false);
    await store.createTable('branch', 'Late');
    const hourMetrics = { includeApis: true, retention: { days: 1 } };
    await store.writeServiceProperties('branch', { hourMetrics });
    expect(await table.commit([insert(keyAt('late'))])).toMatchObject({ reason: 'table-missing' });

    await store.swept();
    await tested.reopen();
    use();
    expect(await tablesOf('branch')).toEqual([]);
    expect(await store.readServiceProperties('branch')).toEqual(defaultServiceProperties);
    expect(await snapshots.branches()).toEqual([]);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
  });

  it('make branches of nothing, with settings as in a new account', async () => {
    const hourMetrics = { includeApis: true, retention: { days: 1 } };
    await store.writeServiceProperties(account, { hourMetrics });
    expect(
      await snapshots.branch({ account: 'branch', from: { account, snapshot: 'empty' }, key: '', expires: 1 }),
    ).toBe(0);
    expect(await tablesOf('branch')).toEqual([]);
    expect(await store.readServiceProperties('branch')).toEqual(defaultServiceProperties);
    await store.createTable('branch', 'Table');
    await tested.reopen();
    use();
    expect(await tablesOf('branch')).toEqual(['Table']);
    expect((await snapshots.branches()).map(({ from }) => from)).toEqual([{ account, snapshot: 'empty' }]);
  });

  it('let a table be emptied and dropped', async () => {
    await snapshots.take('one', [account]);
    await commit(store, 'Table', insert(keyAt('e')));
    await store.snapshots.exchange({ emptied: [{ account, names: ['Table'] }] });
    expect(await rowsOf(store, 'Table')).toEqual([]);
    await restore('one');
    await store.deleteTable(account, 'Table');
    await store.createTable(account, 'Table');
    expect(await rowsOf(store, 'Table')).toEqual([]);
    await restore('one');
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
  });

  it('have what was asked for before, and not what was asked for after', async () => {
    const table = store.openTable(account, 'Table');
    const before = table.commit([insert(keyAt('before'))]);
    const taken = snapshots.take('one', [account]);
    const after = store.openTable(account, 'Table').commit([insert(keyAt('after')), remove(keyAt('before'))]);
    for (const outcome of [await before, await after]) expect(isRejection(outcome)).toBe(false);
    await taken;
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/after', 'p/b', 'p/c', 'p/d']);
    await restore('one');
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/before', 'p/c', 'p/d']);
  });

  it('do not end a request that has found its table', async () => {
    const table = store.openTable(account, 'Table');
    await table.find();
    await snapshots.take('one', [account]);
    expect(isRejection(await table.commit([insert(keyAt('e'))]))).toBe(false);
    expect(await table.readEntity(keyAt('a'))).toEqual(expect.any(String));
  });
});
