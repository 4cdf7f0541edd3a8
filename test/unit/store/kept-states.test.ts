import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeptId, KeptStates, SnapshotStore } from '../../../src/store/snapshots.js';
import { isRefusal, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/open-test-store.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../support/store-changes.js';
import { grounds } from '../../support/test-engines.js';

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
    await Promise.all([
      kept.begin(one, [account], undefined, 'dropped', 'why'),
      store.reset(account),
      kept.end(one, [account]),
    ]);
    expect(await kept.list('undo')).toEqual([expect.objectContaining({ ...one, note: 'why' })]);
    await store.swept();
    expect(await keptTexts(one, 'before')).toEqual(before);
    expect(await keptTexts(one, 'after')).toBe('table-missing');
    await tested.reopen();
    use();
    expect(await kept.revertTables(one)).toEqual({ tables: 1, changed: [] });
    expect(await textsOf()).toEqual(before);
    expect(await kept.drop(one)).toBe(true);
    expect([await kept.drop(one), await kept.list('undo')]).toEqual([false, []]);
    await store.swept();
    expect(await textsOf()).toEqual(before);
  });

  it('leave tables alone that were written since', async () => {
    await store.createTable(account, 'Other');
    await kept.begin(one, [account], undefined, 'changed');
    await commit(store, 'Table', remove(keyAt('a')));
    await kept.end(one, [account]);
    await commit(store, 'Table', insert(keyAt('late')));
    expect(await kept.revertTables(one)).toEqual({ tables: 1, changed: [{ account, name: 'Table' }] });
    expect(await rowsOf(store, 'Table')).toEqual(['p/b', 'p/late']);
  });

  it('give no table back as long as they have no end', async () => {
    await kept.begin(one, [account], undefined, 'changed');
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
    await kept.begin(one, [account], undefined, 'changed');
    await kept.begin(load, [account], undefined, 'changed');
    expect((await snapshots.list()).map(({ name }) => name)).toEqual(['one']);
    expect(await kept.list('load')).toEqual([expect.objectContaining(load)]);
    await snapshots.restore('one', [{ from: account, to: account }]);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
    expect(await snapshots.delete('one')).toBe(true);
    expect([await kept.drop(one), await kept.drop(load), await kept.drop(one)]).toEqual([true, true, false]);
  });

  it('have what was dropped right after they began, until the last of them is dropped', async () => {
    const before = await textsOf();
    const begun = [one, two].map((id) => kept.begin(id, [account], undefined, 'dropped'));
    await Promise.all([...begun, store.reset(account)]);
    await kept.drop(one);
    await store.swept();
    expect(await keptTexts(two, 'before')).toEqual(before);
    await kept.drop(two);
    await store.swept();
    expect(await keptTexts(two, 'before')).toBeUndefined();
  });

  it('have tables that were then emptied, and nothing that is written later', async () => {
    const before = await textsOf();
    const begun = kept.begin(one, [account], (_, name) => name === 'Table', 'dropped');
    await Promise.all([begun, store.emptyTables(account, ['Table'])]);
    await commit(store, 'Table', insert(keyAt('z')));
    await store.swept();
    expect(await keptTexts(one, 'before')).toEqual(before);
    expect(await rowsOf(store, 'Table')).toEqual(['p/z']);
  });

  it('leave tables alone that were to be dropped and were not', async () => {
    const before = await textsOf();
    for (let time = 0; time < 2; time++) await kept.begin(one, [account], undefined, 'dropped');
    expect(await kept.drop(one)).toBe(true);
    await store.swept();
    expect(await textsOf()).toEqual(before);
    await commit(store, 'Table', replace(keyAt('a'), 5));
    await store.deleteTable(account, 'Table');
    await store.swept();
    expect(await store.listTables(account)).toEqual([]);
  });
});
