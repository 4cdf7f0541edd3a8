import { setImmediate as otherWork } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../../../src/protocol/service-properties.js';
import { planQuery } from '../../../../../src/query/plan/plan-query.js';
import { isRejection, type TableStore } from '../../../../../src/store/store.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { onFirstRows } from '../../../../support/store/intercept-scans.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  replace,
  rowsOf,
} from '../../../../support/store/store-changes.js';

describe.each(levelGrounds)('the records of the engine, in %s:', (ground) => {
  let tested: LevelUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });
  const rowsOfTable = (count: number) => Array.from({ length: count }, (_, at) => insert(keyAt(`r${at}`)));

  it('of a dropped table are deleted, and those of other tables are not', async () => {
    await store.createTable(account, 'Stays');
    for (const name of ['Stays', 'Table']) await commit(store, name, ...rowsOfTable(1100));
    await store.deleteTable(account, 'Table');
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toHaveLength(1100);
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });

  it.each([
    ['a dropped table', () => store.deleteTable(account, 'Table')],
    ['an account that was reset', () => store.reset(account)],
  ])('of %s are deleted, also those of a write that came before it', async (_, drop) => {
    await commit(store, 'Table', ...rowsOfTable(1100));
    const before = store.openTable(account, 'Table').commit([insert(keyAt('before'))]);
    const dropped = drop();
    const after = store.openTable(account, 'Table').commit([insert(keyAt('after'))]);
    expect(isRejection(await before)).toBe(false);
    expect(isRejection(await after)).toBe(true);
    await dropped;
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toEqual([]);
  });

  it('of the settings of an account are deleted when it is reset', async () => {
    const hourMetrics = { includeApis: true, retention: { days: 1 } };
    await store.writeServiceProperties(account, { ...defaultServiceProperties, hourMetrics });
    expect(await tested.storedKeys('service')).toHaveLength(1);
    await store.reset(account);
    expect(await tested.storedKeys('service')).toEqual([]);
  });

  it('are deleted by a sweep that continues after a close has interrupted it', async () => {
    await commit(store, 'Table', ...rowsOfTable(1700));
    await store.deleteTable(account, 'Table');
    await tested.store().close();
    // At most one portion of 500 is swept while the store closes.
    expect((await tested.storedKeys('entity')).length).toBeGreaterThan(1000);
    expect(await tested.storedKeys('dropped')).toHaveLength(1);
    await tested.reopen();
    await tested.store().swept();
    expect(await tested.storedKeys('entity')).toEqual([]);
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });

  it('are written before a rejection that depends on them: after "entity exists", a read finds the entity', async () => {
    const key = keyAt('new');
    // A slow engine, like a slow disk.
    interceptBatches(tested.engine, async (write) => {
      await otherWork();
      await write();
    });
    const first = store.openTable(account, 'Table').commit([insert(key, 1)]);
    expect(await store.openTable(account, 'Table').commit([insert(key, 2)])).toMatchObject({
      reason: 'entity-exists',
      at: 0,
    });
    expect(numberOf(await readEntity(store, 'Table', key))).toBe(1);
    expect(isRejection(await first)).toBe(false);
  });

  it('are read as one snapshot, even if a commit happens between two ranges of a page', async () => {
    await commit(store, 'Table', insert(keyAt('a'), 1), insert(keyAt('z'), 1));
    onFirstRows(tested.engine, () => commit(store, 'Table', replace(keyAt('a'), 2), replace(keyAt('z'), 2)));
    const ranges = ['a', 'z'].map((rowKey) => ({
      from: { ...keyAt(rowKey), side: 'before' as const },
      to: { ...keyAt(rowKey), side: 'after' as const },
    }));
    const page = await store.openTable(account, 'Table').readPage({ ...planQuery(undefined, { rowsMax: 10 }), ranges });
    expect(isRejection(page) || page.rows.map(numberOf)).toEqual([1, 1]);
    expect(numberOf(await readEntity(store, 'Table', keyAt('z')))).toBe(2);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/z']);
  });
});
