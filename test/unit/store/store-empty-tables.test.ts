import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRejection, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('emptied tables, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    for (const name of ['One', 'Two', 'Three']) {
      await store.createTable(account, name);
      await commit(store, name, insert(keyAt('r'), 1));
      await rowsOf(store, name);
    }
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  it('have no entities, and others keep theirs', async () => {
    await store.snapshots.exchange({ emptied: [{ account, names: ['one', 'Three', 'Missing'] }] });
    expect(await rowsOf(store, 'One')).toEqual([]);
    expect(await rowsOf(store, 'Two')).toEqual(['p/r']);
    expect(await rowsOf(store, 'Three')).toEqual([]);
  });

  it('keep their policies and their time of creation', async () => {
    const { name, created } = (await store.openTable(account, 'One').find()) ?? {};
    await store.openTable(account, 'One').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
    await store.snapshots.exchange({ emptied: [{ account, names: ['One'] }] });
    expect(await store.openTable(account, 'One').find()).toMatchObject({ name, created });
    expect(await store.openTable(account, 'One').readAccessPolicies()).toEqual([{ id: 'reader', permission: 'r' }]);
  });

  it('take new entities, and are the same after a restart', async () => {
    await store.snapshots.exchange({ emptied: [{ account, names: ['One'] }] });
    await commit(store, 'One', insert(keyAt('new')));
    await tested.store().swept();
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'One')).toEqual(['p/new']);
    expect(await rowsOf(tested.store(), 'Two')).toEqual(['p/r']);
  });

  it('lose what was written before, and keep what is written after', async () => {
    const before = store.openTable(account, 'One').commit([insert(keyAt('before'))]);
    const emptied = store.snapshots.exchange({ emptied: [{ account, names: ['One'] }] });
    const after = store.openTable(account, 'One').commit([insert(keyAt('after'))]);
    for (const outcome of [await before, await after]) expect(isRejection(outcome)).toBe(false);
    await emptied;
    expect(await rowsOf(store, 'One')).toEqual(['p/after']);
  });

  it('may have names of no table only', async () => {
    await store.snapshots.exchange({ emptied: [{ account, names: ['Missing'] }] });
    await store.snapshots.exchange({ emptied: [{ account, names: [] }] });
    expect(await rowsOf(store, 'One')).toEqual(['p/r']);
  });
});
