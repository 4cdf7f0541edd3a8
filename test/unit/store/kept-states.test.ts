import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import type { KeptId, KeptStates, SnapshotStore } from '../../../src/store/snapshots.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const settings = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
const one: KeptId = { kind: 'undo', id: 'one' };

describe.each(grounds)('kept states, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let snapshots: SnapshotStore;
  let kept: KeptStates;
  const use = () => {
    store = tested.store();
    snapshots = store.snapshots;
    kept = snapshots.kept;
  };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    use();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', ...['a', 'b'].map((row) => insert(keyAt(row))));
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  const textsOf = async (table = 'Table') => {
    const page = await store.openTable(account, table).readPage({ ranges: [{}], rowsMax: 1000 });
    return isRejection(page) ? page.reason : page.rows;
  };
  const restoring = (...names: readonly string[]) => ({
    restored: { snapshot: one, accounts: names.map((name) => ({ from: name, to: name })) },
  });

  it('have what a change removes, which is restored once', async () => {
    const before = await textsOf();
    await store.writeServiceProperties(account, settings);
    expect(await snapshots.exchange({ reset: [account] }, { ...one, note: 'why' })).toEqual({
      removed: 1,
      restored: 0,
    });
    expect(await store.readServiceProperties(account)).toEqual(defaultServiceProperties);
    expect(await kept.list('undo')).toEqual([expect.objectContaining({ ...one, note: 'why' })]);
    await store.swept();
    await tested.reopen();
    use();
    expect(await snapshots.exchange(restoring(account))).toEqual({ removed: 0, restored: 1 });
    expect(await textsOf()).toEqual(before);
    expect(await store.readServiceProperties(account)).toEqual(settings);
    expect([await kept.drop(one), await kept.list('undo')]).toEqual([false, []]);
    expect(await snapshots.exchange(restoring(account))).toBeUndefined();
    await store.swept();
    expect(await textsOf()).toEqual(before);
  });

  it('are told from snapshots and from other kinds, whatever their names', async () => {
    const load: KeptId = { kind: 'load', id: 'one' };
    await snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('a')));
    await kept.begin(one, [account], undefined);
    await kept.begin(load, [account], undefined);
    expect((await snapshots.list()).map(({ name }) => name)).toEqual(['one']);
    expect(await kept.list('load')).toEqual([expect.objectContaining(load)]);
    await snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account }] } });
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
    expect(await snapshots.delete('one')).toBe(true);
    expect([await kept.drop(one), await kept.drop(load), await kept.drop(one)]).toEqual([true, true, false]);
  });

  it('are not made of an exchange with a snapshot that is missing, which changes nothing', async () => {
    const before = await textsOf();
    const restored = { snapshot: 'missing', accounts: [{ from: account, to: account }] };
    expect(await snapshots.exchange({ restored, reset: ['other'] }, { ...one, note: '' })).toBeUndefined();
    expect([await textsOf(), await kept.list('undo')]).toEqual([before, []]);
  });

  it('are of accounts that are restored and of others that are reset, all at one moment', async () => {
    await snapshots.take('base', [account]);
    await commit(store, 'Table', remove(keyAt('a')));
    await store.createTable('other', 'Table');
    const before = [await textsOf(), await store.listTables('other')];
    const restored = { snapshot: 'base', accounts: [{ from: account, to: account }] };
    await snapshots.exchange({ restored, reset: ['other'] }, { ...one, note: '' });
    expect([await rowsOf(store, 'Table'), await store.listTables('other')]).toEqual([['p/a', 'p/b'], []]);
    expect(await snapshots.exchange(restoring(account, 'other'))).toEqual({ removed: 1, restored: 2 });
    expect([await textsOf(), await store.listTables('other')]).toMatchObject(before);
  });

  it('have tables that were then emptied, and nothing that is written later', async () => {
    const before = await textsOf();
    const emptied = [{ account, names: ['TABLE', 'Missing'] }];
    expect(await snapshots.exchange({ emptied }, { ...one, note: '' })).toEqual({ removed: 1, restored: 0 });
    await commit(store, 'Table', insert(keyAt('z')));
    await store.swept();
    expect(await rowsOf(store, 'Table')).toEqual(['p/z']);
    await snapshots.exchange(restoring(account));
    expect(await textsOf()).toEqual(before);
  });

  it('are replaced by those of the same id, and leave tables alone that are still there', async () => {
    const before = await textsOf();
    for (let time = 0; time < 2; time++) await kept.begin(one, [account], undefined);
    expect(await kept.drop(one)).toBe(true);
    await store.swept();
    expect(await textsOf()).toEqual(before);
    await commit(store, 'Table', replace(keyAt('a'), 5));
    await store.deleteTable(account, 'Table');
    await store.swept();
    expect(await store.listTables(account)).toEqual([]);
  });
});
