import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRejection, type TableStore } from '../../../../../src/store/store.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
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
} from '../../../../support/store/store-changes.js';

describe.each(['LevelDB, synced'] as const)('a commit that fails, in %s:', (ground) => {
  let tested: LevelUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('old'), 1));
  });
  afterEach(() => tested.dispose());

  it('fails its writer and every write that depends on it, and leaves the rows unchanged', async () => {
    const { fail } = tested.failNextSync();
    const writes = [
      store.openTable(account, 'Table').commit([insert(keyAt('new'), 1)]),
      store.openTable(account, 'Table').commit([replace(keyAt('new'), 2, '*')]),
      store.openTable(account, 'Table').commit([insert(keyAt('new'), 3)]),
      store.openTable(account, 'Table').commit([remove(keyAt('old'))]),
      store.openTable(account, 'Table').commit([insert(keyAt('old'), 4)]),
    ];
    fail();
    for (const outcome of await Promise.allSettled(writes)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('no space left on device') },
      });
    }
    expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    expect(numberOf(await readEntity(store, 'Table', keyAt('old')))).toBe(1);
  });

  it('does not affect the next write, which is checked against the stored rows', async () => {
    const { fail } = tested.failNextSync();
    const failed = store.openTable(account, 'Table').commit([insert(keyAt('new'), 1), remove(keyAt('old'))]);
    fail();
    await expect(failed).rejects.toThrow('no space left');
    expect(await commit(store, 'Table', insert(keyAt('new'), 2), replace(keyAt('old'), 3, '*'))).toHaveLength(2);
    await tested.reopen();
    expect(numberOf(await readEntity(tested.store(), 'Table', keyAt('new')))).toBe(2);
    expect(numberOf(await readEntity(tested.store(), 'Table', keyAt('old')))).toBe(3);
  });

  it('creates no table, and a table that is created directly afterwards is kept', async () => {
    const { fail } = tested.failNextSync();
    const failed = store.createTable(account, 'Failed');
    fail();
    await expect(failed).rejects.toThrow('no space left');
    expect(isRejection(await store.createTable(account, 'Next'))).toBe(false);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Next', 'Table']);
    await tested.reopen();
    expect((await tested.store().listTables(account)).map(({ name }) => name)).toEqual(['Next', 'Table']);
  });

  it('drops no table', async () => {
    const { fail } = tested.failNextSync();
    const failed = store.deleteTable(account, 'Table');
    fail();
    await expect(failed).rejects.toThrow('no space left');
    await tested.store().swept();
    expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    await commit(store, 'Table', insert(keyAt('new')));
    expect(await store.deleteTable(account, 'Table')).toMatchObject({ name: 'Table' });
  });

  it('fails a write to a table whose creation is in the batch', async () => {
    const { fail } = tested.failNextSync();
    const table = store.createTable(account, 'Failed');
    const write = store.openTable(account, 'Failed').commit([insert(keyAt('r'))]);
    fail();
    for (const outcome of await Promise.allSettled([table, write])) expect(outcome.status).toBe('rejected');
    await store.createTable(account, 'Failed');
    expect(await rowsOf(store, 'Failed')).toEqual([]);
    expect(await tested.storedKeys('entity')).toHaveLength(1);
  });

  it('loses nothing that was acknowledged, and a sweep is done at the next start', async () => {
    await tested.store().swept();
    const restore = interceptBatches(tested.engine, () => Promise.reject(new Error('no space left on device')));
    await store.createTable(account, 'Next');
    await store.deleteTable(account, 'Table');
    await tested.store().swept();
    expect(tested.reports).toMatchObject([{ message: 'no space left on device' }]);
    restore();
    expect(isRejection(await store.createTable(account, 'Last'))).toBe(false);
    await tested.reopen();
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toEqual([]);
    expect(await tested.storedKeys('dropped')).toEqual([]);
    expect((await tested.store().listTables(account)).map(({ name }) => name)).toEqual(['Last', 'Next']);
  });
});
