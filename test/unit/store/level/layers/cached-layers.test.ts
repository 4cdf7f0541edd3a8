import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, remove, rowsOf } from '../../../../support/store/store-changes.js';

let tested: LevelUnderTest;
beforeEach(async () => {
  tested = await openLevelOn('memory, read through a cache');
  await tested.store().createTable(account, 'Table');
  await commit(tested.store(), 'Table', insert(keyAt('a')), insert(keyAt('b')));
  expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b']);
});
afterEach(() => tested.dispose());

const restore = () =>
  tested.store().snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account }] } });

it('a restored table is read from the cache, which keeps the rows that a snapshot has', async () => {
  await tested.store().snapshots.take('one', [account]);
  const scans = [vi.spyOn(tested.engine, 'iterator'), vi.spyOn(tested.engine, 'values')];
  for (const row of ['c', 'd']) {
    await commit(tested.store(), 'Table', insert(keyAt(row)), remove(keyAt('a')));
    await restore();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b']);
  }
  for (const scan of scans) expect(scan).not.toHaveBeenCalled();
});

it('the cache keeps no rows that no table and no snapshot has', async () => {
  await tested.store().snapshots.take('one', [account]);
  await tested.store().deleteTable(account, 'Table');
  expect(tested.store().cacheBytes).toBeGreaterThan(0);
  await tested.store().snapshots.delete('one');
  expect(tested.store().cacheBytes).toBe(0);
});
