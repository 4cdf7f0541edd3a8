import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteEntities } from '../../../src/state/delete-entities.js';
import type { Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/open-test-store.js';
import { account, commit, insert, keyAt, remove, rowsOf } from '../../support/store-changes.js';
import { grounds } from '../../support/test-engines.js';

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

  it('does not count entities that another client deletes meanwhile', async () => {
    await commit(store, 'Table', ...['a', 'b', 'c', 'd'].map((row) => insert(keyAt(row))));
    const deleted = deleteEntities(store, target, everything);
    await commit(store, 'Table', remove(keyAt('b')), remove(keyAt('c')));
    expect(await deleted).toBeLessThanOrEqual(4);
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  it('finds no missing table', async () => {
    expect(await deleteEntities(store, { account, table: 'Missing' }, everything)).toBeUndefined();
  });
});
