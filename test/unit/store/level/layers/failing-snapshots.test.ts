import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotStore } from '../../../../../src/store/snapshots.js';
import type { Store } from '../../../../../src/store/store.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, remove, rowsOf } from '../../../../support/store/store-changes.js';

describe.each(['LevelDB, synced'] as const)('snapshots whose batch cannot be written, in %s:', (ground) => {
  let tested: LevelUnderTest;
  let store: Store;
  let snapshots: SnapshotStore;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    store = tested.store();
    snapshots = store.snapshots as SnapshotStore;
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('a')), insert(keyAt('b')));
  });
  afterEach(() => tested.dispose());

  const failing = async (work: () => Promise<unknown>) => {
    const { fail } = tested.failNextSync();
    const failed = work();
    fail();
    await expect(failed).rejects.toThrow('no space left on device');
  };
  const restore = () =>
    snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account }] } });

  it('are not there, and the table is as it was', async () => {
    await failing(() => snapshots.take('one', [account]));
    expect(await snapshots.list()).toEqual([]);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
    await commit(store, 'Table', remove(keyAt('a')));
    expect(await rowsOf(store, 'Table')).toEqual(['p/b']);
    expect(await restore()).toBeUndefined();
    await snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('b')));
    await restore();
    expect(await rowsOf(store, 'Table')).toEqual(['p/b']);
  });

  it('stay when they cannot be restored or deleted', async () => {
    await snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('a')));
    await failing(restore);
    expect(await rowsOf(store, 'Table')).toEqual(['p/b']);
    await failing(() => snapshots.delete('one'));
    expect((await snapshots.list()).map(({ name }) => name)).toEqual(['one']);
    await restore();
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
    await store.swept();
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });

  it('leave no copy when a branch cannot be made', async () => {
    const branch = { account: 'branch', from: { account }, key: '', expires: 0 };
    await failing(() => snapshots.branch(branch));
    expect(await snapshots.branches()).toEqual([]);
    expect(await store.listTables('branch')).toEqual([]);
    expect(await snapshots.branch(branch)).toBe(1);
  });
});
