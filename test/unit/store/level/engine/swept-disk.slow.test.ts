import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TableStore } from '../../../../../src/store/store.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('After a sweep, the files of LevelDB', () => {
  let tested: LevelUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openLevelOn('LevelDB');
    store = tested.store();
    await store.createTable(account, 'Neighbor');
    await commit(store, 'Neighbor', insert(keyAt('r')));
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });

  async function fill(table: string, rows: number): Promise<void> {
    for (let row = 0; row < rows; row += 500) {
      await commit(store, table, ...Array.from({ length: 500 }, (_, at) => insert(keyAt(`r${row + at}`))));
    }
  }

  /** Returns the size of all entity records in the files, including dead ones. Unit: bytes. */
  async function entityBytes(): Promise<number> {
    const { engine } = tested;
    if (!('approximateSize' in engine)) throw new Error('only LevelDB has files');
    const size = engine.approximateSize as (from: string, to: string) => Promise<number>;
    return Reflect.apply(size, engine, ['entity\u0000', 'entity\u0001']);
  }

  it('contain nothing of a dropped table, even if its rows and their deletes were in one write buffer', async () => {
    await store.createTable(account, 'Table');
    await fill('Table', 3000);
    await store.deleteTable(account, 'Table');
    await tested.store().swept();
    expect(await entityBytes()).toBeLessThan(1000);
    expect(await rowsOf(store, 'Neighbor')).toEqual(['p/r']);
  });

  it('contain little of created and dropped tables, regardless of their number', async () => {
    for (let round = 0; round < 60; round++) {
      await store.createTable(account, 'Table');
      await fill('Table', 500);
      await store.deleteTable(account, 'Table');
    }
    await store.createTable(account, 'Last');
    await fill('Last', 2000);
    await store.deleteTable(account, 'Last');
    await tested.store().swept();
    await tested.reopen();
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toHaveLength(1);
    expect(await tested.storedKeys('dropped')).toEqual([]);
    // There were thirty thousand rows of about 150 bytes each.
    expect(await entityBytes()).toBeLessThan(500_000);
  });

  it('contain nothing of a table that was dropped just before the store was closed', async () => {
    await store.createTable(account, 'Table');
    await fill('Table', 3000);
    await store.deleteTable(account, 'Table');
    await tested.reopen();
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toHaveLength(1);
    expect(await entityBytes()).toBeLessThan(1000);
  });
});
