import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { openLevelOn } from '../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt } from '../../../support/store/store-changes.js';

describe('a store whose branches end', () => {
  it('keeps nothing in memory of their tables', async () => {
    const tested = await openLevelOn('memory');
    const store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('a')));
    const endOne = async (name: string) => {
      await store.snapshots.branch({ account: name, from: { account }, key: '', expires: 0 });
      expect(await store.openTable(name, 'Table').readEntity(keyAt('a'))).toEqual(expect.any(String));
      expect(store.listTables(name)).toHaveLength(1);
      await store.readServiceProperties(name);
      await store.snapshots.endBranch(name);
      expect(store.listTables(name)).toEqual([]);
    };
    await endOne('first');
    await store.swept();
    const before = queryObjects(Map, { format: 'count' });
    for (let at = 0; at < 100; at++) await endOne(`branch${at}`);
    await store.swept();
    expect(queryObjects(Map, { format: 'count' }) - before).toBeLessThan(50);
    await tested.dispose();
  });
});
