import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import type { SnapshotStore } from '../../../../../src/store/snapshots.js';
import { openAt, removeLog } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAccount } from '../../../../support/store/copy-account.js';
import { account, commit, insert, keyAt, remove, rowsOf } from '../../../../support/store/store-changes.js';

describe('A data folder', () => {
  let location: string;
  beforeEach(async () => {
    location = await makeFolder();
  });
  afterEach(() => rm(location, { recursive: true }));

  const withStore = async (
    work: (store: Awaited<ReturnType<typeof openAt>>, all: SnapshotStore) => Promise<unknown>,
  ) => {
    const store = await openAt(location);
    try {
      await work(store, store.snapshots as SnapshotStore);
      await store.swept();
    } finally {
      await store.close();
    }
  };
  const withLevel = async <T>(work: (level: Level<string, string>) => Promise<T>) => {
    const level = new Level<string, string>(join(location, dataFolder));
    try {
      return await work(level);
    } finally {
      await level.close();
    }
  };
  const keysOf = (kind: string) =>
    withLevel((level) => level.keys({ gte: `${kind}\u0000`, lt: `${kind}\u0001` }).all());
  const fill = () =>
    withStore(async (store) => {
      await store.createTable(account, 'Table');
      await commit(store, 'Table', ...['a', 'b', 'c'].map((row) => insert(keyAt(row))));
    });

  it('has no rows of layers that nothing uses', async () => {
    await fill();
    await withStore(async (store, snapshots) => {
      for (const name of ['one', 'two', 'one']) {
        await snapshots.take(name, [account]);
        await commit(store, 'Table', insert(keyAt(`${name}${Math.random()}`)), remove(keyAt('a')), insert(keyAt('a')));
        await copyAccount(snapshots, account, `copy${name}`);
      }
      await snapshots.exchange({ restored: { snapshot: 'two', accounts: [{ from: account, to: account }] } });
      for (const name of [account, 'copyone', 'copytwo']) await store.reset(name);
      await snapshots.delete('one');
    });
    expect(await keysOf('entity')).toHaveLength(4);
    await withStore((_, snapshots) => snapshots.delete('two'));
    expect(await keysOf('entity')).toEqual([]);
    expect(await keysOf('dropped')).toEqual([]);
    expect(await keysOf('snapshot')).toEqual([]);
  });

  it('keeps few layers of a table, however many snapshots were taken', async () => {
    await fill();
    const expected = ['p/b', 'p/c'];
    await withStore(async (store, snapshots) => {
      await snapshots.take('one', [account]);
      await commit(store, 'Table', remove(keyAt('a')));
      for (let time = 10; time < 30; time++) {
        await snapshots.take('one', [account]);
        await commit(store, 'Table', insert(keyAt(`x${time}`)), ...(time > 10 ? [remove(keyAt(`x${time - 1}`))] : []));
        // Others use the same layers.
        if (time === 15 || time === 25) await copyAccount(snapshots, account, `copy${time}`);
        if (time === 20) await snapshots.take('two', [account]);
      }
      await store.swept();
      expect(await rowsOf(store, 'Table')).toEqual([...expected, 'p/x29']);
    });
    const records = await withLevel((level) => level.values({ gte: 'table\u0000', lt: 'table\u0001' }).all());
    for (const record of records) {
      const { layers = [] } = JSON.parse(record) as { layers?: unknown[] };
      expect(layers.length).toBeLessThan(6);
    }
    await withStore(async (store, snapshots) => {
      expect(await rowsOf(store, 'Table')).toEqual([...expected, 'p/x29']);
      for (const [name, last] of [
        ['two', 'p/x20'],
        ['one', 'p/x28'],
      ] as const) {
        await snapshots.exchange({ restored: { snapshot: name, accounts: [{ from: account, to: account }] } });
        expect(await rowsOf(store, 'Table')).toEqual([...expected, last]);
      }
      for (const name of ['one', 'two']) await snapshots.delete(name);
      for (const name of [account, 'copy15', 'copy25']) await store.reset(name);
    });
    expect(await keysOf('entity')).toEqual([]);
    expect(await keysOf('dropped')).toEqual([]);
  });

  it('with a snapshot that cannot be read is rejected', async () => {
    await fill();
    await withStore((_, snapshots) => snapshots.take('one', [account]));
    // Without the log, which has the record as it was.
    await removeLog(join(location, dataFolder));
    const [key = ''] = await keysOf('snapshot');
    await withLevel(async (level) => level.put(key, (await level.get(key))?.replace('"layers"', '"other"') ?? ''));
    await expect(openAt(location)).rejects.toThrow('the record of the snapshot one cannot be read');
  });
});
