import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import type { KeptId, KeptStates, SnapshotStore } from '../../../src/store/snapshots.js';
import { isRefusal, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const settings = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
const one: KeptId = { kind: 'undo', id: 'one' };
const two: KeptId = { kind: 'undo', id: 'two' };

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
    return isRefusal(page) ? page.reason : page.rows;
  };
  const keptTexts = async (id: KeptId, moment: 'before' | 'after') => {
    const frozen = await snapshots.freeze({ account, kept: { ...id, moment } });
    const page = await frozen?.open('Table').readPage({ ranges: [{}], rowsMax: 1000 });
    await frozen?.release();
    return page && (isRefusal(page) ? page.reason : page.rows);
  };

  it('have both ends of a change in one record, which gives tables back', async () => {
    const before = await textsOf();
    await store.writeServiceProperties(account, settings);
    expect(await snapshots.exchange({ reset: [account] }, { ...one, note: 'why' })).toEqual({ removed: 1, given: 0 });
    expect(await store.readServiceProperties(account)).toEqual(defaultServiceProperties);
    expect(await kept.list('undo')).toEqual([expect.objectContaining({ ...one, note: 'why' })]);
    await store.swept();
    expect(await keptTexts(one, 'before')).toEqual(before);
    expect(await keptTexts(one, 'after')).toBeUndefined();
    await tested.reopen();
    use();
    expect(await kept.revertTables(one)).toEqual({ tables: 1, changed: [] });
    expect(await textsOf()).toEqual(before);
    expect(await store.readServiceProperties(account)).toEqual(settings);
    expect(await kept.drop(one)).toBe(true);
    expect([await kept.drop(one), await kept.list('undo')]).toEqual([false, []]);
    await store.swept();
    expect(await textsOf()).toEqual(before);
  });

  it('leave tables alone that were written since', async () => {
    await store.createTable(account, 'Other');
    await kept.begin(one, [account], undefined);
    await commit(store, 'Table', remove(keyAt('a')));
    await kept.end(one, [account]);
    await commit(store, 'Table', insert(keyAt('late')));
    expect(await kept.revertTables(one)).toEqual({ tables: 1, changed: [{ account, name: 'Table' }] });
    expect(await rowsOf(store, 'Table')).toEqual(['p/b', 'p/late']);
  });

  it('give no table back as long as they have no end', async () => {
    await kept.begin(one, [account], undefined);
    await commit(store, 'Table', remove(keyAt('a')));
    expect(await kept.revertTables(one)).toEqual({ tables: 0, changed: [{ account, name: 'Table' }] });
    expect(await keptTexts(one, 'after')).toBeUndefined();
    expect(await rowsOf(store, 'Table')).toEqual(['p/b']);
    expect(await kept.revertTables(two)).toBeUndefined();
    await kept.end(two, [account]);
    await kept.note(two, 'why');
    expect(await kept.list('undo')).toHaveLength(1);
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

  it('have what was given from a snapshot and removed again, until the last of them is dropped', async () => {
    await snapshots.take('base', [account]);
    const base = await textsOf();
    await commit(store, 'Table', remove(keyAt('a')));
    const restored = { snapshot: 'base', accounts: [{ from: account, to: account }] };
    expect(await snapshots.exchange({ restored }, { ...one, note: '' })).toEqual({ removed: 1, given: 1 });
    await snapshots.exchange({ reset: [account] }, { ...two, note: '' });
    expect(await snapshots.delete('base')).toBe(true);
    await store.swept();
    expect([await keptTexts(one, 'after'), await keptTexts(two, 'before')]).toEqual([base, base]);
    await kept.drop(two);
    await store.swept();
    expect([await keptTexts(one, 'after'), await keptTexts(two, 'before')]).toEqual([base, undefined]);
    await store.createTable(account, 'Table');
    expect(await kept.revertTables(one)).toEqual({ tables: 0, changed: [{ account, name: 'Table' }] });
    await kept.drop(one);
    await store.swept();
    expect(await keptTexts(one, 'after')).toBeUndefined();
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
    expect(await kept.revertTables(one)).toEqual({ tables: 2, changed: [] });
    expect([await textsOf(), await store.listTables('other')]).toMatchObject(before);
  });

  it('have tables that were then emptied, and nothing that is written later', async () => {
    const before = await textsOf();
    const emptied = [{ account, names: ['TABLE', 'Missing'] }];
    expect(await snapshots.exchange({ emptied }, { ...one, note: '' })).toEqual({ removed: 1, given: 0 });
    await commit(store, 'Table', insert(keyAt('z')));
    await store.swept();
    expect(await keptTexts(one, 'before')).toEqual(before);
    expect(await rowsOf(store, 'Table')).toEqual(['p/z']);
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
