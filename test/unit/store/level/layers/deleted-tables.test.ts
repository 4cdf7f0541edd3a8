import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { RecordDirectory } from '../../../../../src/store/level/directories/record-directory.js';
import { TableDirectory } from '../../../../../src/store/level/directories/table-directory.js';
import { openInMemory } from '../../../../../src/store/level/open-in-memory.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('Delete Table', () => {
  it('looks at no other table, with a snapshot of all of them or without', async () => {
    const store = await openInMemory({ clock: createClock(), cacheBytes: 0 });
    const names = Array.from({ length: 30 }, (_, at) => `Table${at}`);
    for (const name of names) await store.createTable(account, name);
    await store.snapshots.take('all', [account]);
    // The first write after a snapshot gives a table rows of its own above those of the snapshot.
    for (const name of names.slice(10, 20)) await commit(store, name, insert(keyAt('a')));
    await setImmediate();
    const looks = [vi.spyOn(TableDirectory.prototype, 'allPending'), vi.spyOn(RecordDirectory.prototype, 'allPending')];
    for (const name of names.slice(0, 20)) await store.deleteTable(account, name);
    await setImmediate();
    const counts = looks.map(({ mock }) => mock.calls.length);
    for (const look of looks) look.mockRestore();
    expect(counts).toEqual([0, 0]);

    await store.snapshots.exchange({ restored: { snapshot: 'all', accounts: [{ from: account, to: account }] } });
    expect(await store.listTables(account)).toHaveLength(30);
    expect(await rowsOf(store, 'Table10')).toEqual([]);
    await store.close();
  });
});
