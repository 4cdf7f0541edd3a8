import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countEntities } from '../../../src/state/delete-entities.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt } from '../../support/store/store-changes.js';

const entities = 5000;

/** Returns how many turns of the event loop others got while some work was done. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}

describe('A read of a whole table in memory', () => {
  let tested: StoreUnderTest;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 16 * 1024 * 1024 });
    const store = tested.store();
    await store.createTable(account, 'Table');
    const rows = Array.from({ length: entities }, (_, at) => insert(keyAt(String(at))));
    for (let at = 0; at < entities; at += 500) await commit(store, 'Table', ...rows.slice(at, at + 500));
  });
  afterEach(() => tested.dispose());

  it('lets requests come first while entities are counted', async () => {
    const turns = await turnsDuring(async () => {
      expect(await countEntities(tested.store(), account, 'Table')).toBe(entities);
    });
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('lets requests come first while entities are compared', async () => {
    const turns = await turnsDuring(async () => {
      const view = await tested.store().snapshots.freeze({ account });
      const [table] = view?.tables ?? [];
      let found = 0;
      if (view && table) for await (const texts of view.entitiesByKey(table)) found += texts.length;
      await view?.close();
      expect(found).toBe(entities);
    });
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});
