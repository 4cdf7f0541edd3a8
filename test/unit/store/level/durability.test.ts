import { describe, expect, it } from 'vitest';
import { interceptBatches } from '../../../support/intercept-batches.js';
import { openLevelOn } from '../../../support/open-level-on.js';
import { account, commit, insert, keyAt, remove, replace } from '../../../support/store-changes.js';

describe.each([
  { durability: 'fsync', sync: true },
  { durability: 'os', sync: false },
] as const)('A store with durability $durability', ({ durability, sync }) => {
  it(`writes every batch with sync: ${sync}`, async () => {
    const { store, engine, dispose } = await openLevelOn('LevelDB', undefined, { durability });
    const asked: unknown[] = [];
    interceptBatches(engine, (write, options) => {
      asked.push(options);
      return write();
    });

    await store().createTable(account, 'Table');
    await commit(store(), 'Table', insert(keyAt('a')), insert(keyAt('b')));
    await commit(store(), 'Table', replace(keyAt('a'), 1));
    await commit(store(), 'Table', remove(keyAt('b')));
    await store().openTable(account, 'Table').writeAccessPolicies([]);
    await store().writeServiceProperties(account, { cors: [] });
    await store().deleteTable(account, 'Table');
    await store().reset(account);
    await dispose();

    expect(asked.length).toBeGreaterThanOrEqual(7);
    expect(new Set(asked.map((options) => (options as { sync?: boolean } | undefined)?.sync))).toEqual(new Set([sync]));
  });
});
