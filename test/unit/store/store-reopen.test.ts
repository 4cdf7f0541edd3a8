import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { isRejection, type TableStore } from '../../../src/store/store.js';
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

const noon = Date.UTC(2026, 10, 21, 12);

describe.each(grounds)('a reopened store, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openTestStore(
      ground,
      createClock(() => noon),
    );
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  it('keeps its tables and the exact texts of their entities', async () => {
    await store.createTable('other', 'Empty');
    await commit(store, 'Table', insert(keyAt('a'), 1), insert(keyAt('b'), 2), insert(keyAt('c'), 3));
    await commit(store, 'Table', replace(keyAt('b'), 4), remove(keyAt('c')));
    const tables = [await store.listTables(account), await store.listTables('other')];
    const entity = await readEntity(store, 'Table', keyAt('b'));
    await tested.reopen();
    store = tested.store();
    expect([await store.listTables(account), await store.listTables('other')]).toEqual(tables);
    expect(await readEntity(store, 'Table', keyAt('b'))).toBe(entity);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
  });

  it('keeps what was asked for before it was closed', async () => {
    const writes = Array.from({ length: 50 }, (_, at) =>
      store.openTable(account, 'Table').commit([insert(keyAt(`r${at}`), at)]),
    );
    await tested.reopen();
    for (const outcome of await Promise.all(writes)) expect(isRejection(outcome)).toBe(false);
    expect(await rowsOf(tested.store(), 'Table')).toHaveLength(50);
  });

  it('never issues a tag twice, even if its clock has jumped back', async () => {
    const key = keyAt('r');
    const given = new Set<string | undefined>();
    const give = async (turns: number) => {
      for (let turn = 0; turn < turns; turn++) {
        for (const etag of await commit(tested.store(), 'Table', replace(key, turn))) given.add(etag);
      }
    };
    await give(20);
    for (const hoursBack of [1, 24, 10_000]) {
      await tested.reopen(createClock(() => noon - hoursBack * 3_600_000));
      await give(20);
    }
    expect(given.size).toBe(80);
  });

  it('never uses a table id twice, even if its clock has jumped back', async () => {
    await commit(store, 'Table', insert(keyAt('r')));
    await store.deleteTable(account, 'Table');
    await tested.reopen(createClock(() => noon - 3_600_000));
    store = tested.store();
    await store.createTable(account, 'Table');
    expect(await rowsOf(store, 'Table')).toEqual([]);
    await tested.store().swept();
    await commit(store, 'Table', insert(keyAt('r'), 7));
    expect(numberOf(await readEntity(store, 'Table', keyAt('r')))).toBe(7);
  });

  it('never reissues the last tag, even if its entity was deleted', async () => {
    const [before] = await commit(store, 'Table', insert(keyAt('r')));
    await commit(store, 'Table', remove(keyAt('r')));
    await tested.reopen(createClock(() => noon - 1000));
    const [after] = await commit(tested.store(), 'Table', insert(keyAt('r')));
    expect((after ?? '') > (before ?? '')).toBe(true);
  });
});
