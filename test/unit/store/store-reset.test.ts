import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import { isRefusal, type TableStore } from '../../../src/store/store.js';
import { grounds, openStoreOn, type StoreUnderTest } from '../../support/open-store-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../support/store-changes.js';

describe.each(grounds)('a reset of an account, in %s:', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openStoreOn(ground);
    store = tested.store();
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });
  const namesOf = async (name = account) => (await tested.store().listTables(name)).map((table) => table.name);

  it('leaves no table, and nothing of one in a table of its name', async () => {
    for (const name of ['One', 'Two']) await store.createTable(account, name);
    await commit(store, 'One', insert(keyAt('r'), 1));
    await store.openTable(account, 'One').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
    await store.reset(account);
    expect(await namesOf()).toEqual([]);
    await store.createTable(account, 'One');
    expect(await rowsOf(store, 'One')).toEqual([]);
    expect(await store.openTable(account, 'One').readAccessPolicies()).toEqual([]);
  });

  it('leaves the settings of a new account', async () => {
    await store.writeServiceProperties(account, {
      ...defaultServiceProperties,
      hourMetrics: { includeApis: true, retention: { days: 1 } },
    });
    await store.reset(account);
    expect(await store.readServiceProperties(account)).toEqual(defaultServiceProperties);
    expect(await tested.storedKeys('service')).toEqual([]);
  });

  it('leaves other accounts as they were', async () => {
    await store.createTable('other', 'Table');
    await store.createTable(account, 'Table');
    await store.reset(account);
    expect(await namesOf('other')).toEqual(['Table']);
  });

  it('sweeps the rows away and outlives a restart', async () => {
    await store.createTable(account, 'Table');
    await commit(store, 'Table', ...Array.from({ length: 1100 }, (_, at) => insert(keyAt(`r${at}`))));
    await store.reset(account);
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toEqual([]);
    await tested.reopen();
    expect(await namesOf()).toEqual([]);
  });

  it('refuses writes that come after it, and keeps none of those before', async () => {
    await store.createTable(account, 'Table');
    const before = store.openTable(account, 'Table').commit([insert(keyAt('before'))]);
    const reset = store.reset(account);
    const after = store.openTable(account, 'Table').commit([insert(keyAt('after'))]);
    expect(isRefusal(await before)).toBe(false);
    expect(await after).toEqual({ reason: 'table-missing', at: 0 });
    await reset;
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toEqual([]);
  });

  it('of an account that has nothing is no fault', async () => {
    await store.reset(account);
    expect(await namesOf()).toEqual([]);
  });
});
