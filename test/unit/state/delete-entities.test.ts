import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteEntities } from '../../../src/state/delete-entities.js';
import type { Store, TableHandle } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('deleteEntities, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  const target = { account, table: 'Table' };
  const everything = { ranges: [{}], rowsMax: 500 };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(() => tested.dispose());

  it('deletes more entities than fit in one commit', async () => {
    const keys = Array.from({ length: 1201 }, (_, at) => keyAt(`r${at}`));
    await commit(store, 'Table', ...keys.map((key) => insert(key)));
    expect(await deleteEntities(store, target, everything)).toBe(1201);
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  it('does not count entities that another client deletes during it', async () => {
    await commit(store, 'Table', ...['a', 'b', 'c', 'd'].map((row) => insert(keyAt(row))));
    const deleted = deleteEntities(store, target, everything);
    await commit(store, 'Table', remove(keyAt('b')), remove(keyAt('c')));
    expect(await deleted).toBeLessThanOrEqual(4);
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  /** Calls `change` between the read of a page and the commit that deletes it. */
  const changedBetween = (change: () => Promise<unknown>): Pick<Store, 'openTable'> => ({
    openTable(...of) {
      const handle = store.openTable(...of);
      const readPage: TableHandle['readPage'] = async (plan) => {
        const page = await handle.readPage(plan);
        await change();
        return page;
      };
      return { readPage, commit: (changes) => handle.commit(changes) } as TableHandle;
    },
  });

  it('spares an entity that another client changes after it was found', async () => {
    await commit(store, 'Table', ...['a', 'b', 'c'].map((row) => insert(keyAt(row), 1)));
    const changed = changedBetween(() => commit(store, 'Table', replace(keyAt('b'), 2)));
    expect(await deleteEntities(changed, target, everything)).toBe(2);
    expect(await rowsOf(store, 'Table')).toEqual(['p/b']);
  });

  it('deletes changed entities as well if asked to', async () => {
    await commit(store, 'Table', ...['a', 'b', 'c'].map((row) => insert(keyAt(row), 1)));
    const changed = changedBetween(() => commit(store, 'Table', replace(keyAt('b'), 2)));
    expect(await deleteEntities(changed, target, everything, 'none')).toBe(3);
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  it('yields to other work between pages', async () => {
    const keys = Array.from({ length: 1201 }, (_, at) => keyAt(`r${at}`));
    await commit(store, 'Table', ...keys.map((key) => insert(key)));
    let turns = 0;
    const watched = changedBetween(async () => {
      setImmediate(() => turns++);
    });
    await deleteEntities(watched, target, everything);
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it('finds no missing table', async () => {
    expect(await deleteEntities(store, { account, table: 'Missing' }, everything)).toBeUndefined();
  });
});
