import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import { isRejection, type TableStore } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('a reset of an account, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });
  const namesOf = async (name = account) => (await tested.store().listTables(name)).map((table) => table.name);

  it('removes all tables, and a new table with the same name is empty', async () => {
    for (const name of ['One', 'Two']) await store.createTable(account, name);
    await commit(store, 'One', insert(keyAt('r'), 1));
    await store.openTable(account, 'One').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
    await store.reset(account);
    expect(await namesOf()).toEqual([]);
    await store.createTable(account, 'One');
    expect(await rowsOf(store, 'One')).toEqual([]);
    expect(await store.openTable(account, 'One').readAccessPolicies()).toEqual([]);
  });

  it('restores the settings of a new account', async () => {
    await store.writeServiceProperties(account, {
      ...defaultServiceProperties,
      hourMetrics: { includeApis: true, retention: { days: 1 } },
    });
    await store.reset(account);
    expect(await store.readServiceProperties(account)).toEqual(defaultServiceProperties);
  });

  it('does not change other accounts', async () => {
    await store.createTable('other', 'Table');
    await store.createTable(account, 'Table');
    await store.reset(account);
    expect(await namesOf('other')).toEqual(['Table']);
  });

  it('removes the rows and persists after a restart', async () => {
    await store.createTable(account, 'Table');
    await commit(store, 'Table', ...Array.from({ length: 1100 }, (_, at) => insert(keyAt(`r${at}`))));
    await store.reset(account);
    await tested.store().swept();
    await tested.reopen();
    store = tested.store();
    expect(await namesOf()).toEqual([]);
    await store.createTable(account, 'Table');
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  it('rejects later writes, and keeps no earlier one', async () => {
    await store.createTable(account, 'Table');
    const before = store.openTable(account, 'Table').commit([insert(keyAt('before'))]);
    const reset = store.reset(account);
    const after = store.openTable(account, 'Table').commit([insert(keyAt('after'))]);
    expect(isRejection(await before)).toBe(false);
    expect(await after).toEqual({ reason: 'table-missing', at: 0 });
    await reset;
    await store.createTable(account, 'Table');
    expect(await rowsOf(store, 'Table')).toEqual([]);
  });

  it('succeeds for an account without data', async () => {
    await store.reset(account);
    expect(await namesOf()).toEqual([]);
  });
});
