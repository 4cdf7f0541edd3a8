import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../../../src/protocol/service-properties.js';
import { systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { isRejection, type TableStore } from '../../../../../src/store/store.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { onFirstRows } from '../../../../support/store/intercept-scans.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  remove,
  rowsOf,
} from '../../../../support/store/store-changes.js';

describe.each(['LevelDB, synced'] as const)('an engine that failed to write, in %s:', (ground) => {
  let tested: LevelUnderTest;
  let store: TableStore;
  let hasSpace: boolean;
  let opened: number;
  beforeEach(async () => {
    hasSpace = true;
    tested = await openLevelOn(ground, undefined, {
      checkFreeSpace: async () => {
        if (!hasSpace) throw new Error('the disk is full');
      },
    });
    store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('old'), 1));
    opened = 0;
    tested.engine.on('open', () => {
      opened++;
    });
  });
  afterEach(() => tested.dispose());

  async function failToWrite(): Promise<void> {
    const { fail } = tested.failNextSync();
    const failed = store.openTable(account, 'Table').commit([insert(keyAt('failed'), 2)]);
    fail();
    await expect(failed).rejects.toThrow('no space left on device');
  }

  it('is reopened before the next write, once for all writers, and not for readers', async () => {
    await failToWrite();
    expect(numberOf(await readEntity(store, 'Table', keyAt('old')))).toBe(1);
    expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    expect(opened).toBe(0);
    await Promise.all(['a', 'b', 'c'].map((row) => commit(store, 'Table', insert(keyAt(row), 3))));
    await commit(store, 'Table', insert(keyAt('d'), 4));
    expect(opened).toBe(1);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d', 'p/old']);
  });

  it('rejects writes but answers reads while the disk is full, and accepts writes afterwards', async () => {
    await failToWrite();
    hasSpace = false;
    const writes = [
      () => commit(store, 'Table', insert(keyAt('new'))),
      () => commit(store, 'Table', remove(keyAt('old'))),
      async () => store.createTable(account, 'Another'),
      async () => store.deleteTable(account, 'Table'),
      async () => store.reset(account),
      async () => store.openTable(account, 'Table').writeAccessPolicies([]),
      async () => store.writeServiceProperties(account, await store.readServiceProperties(account)),
    ];
    for (const write of writes) {
      await expect(write()).rejects.toThrow('the disk is full');
      expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
      expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Table']);
    }
    expect(opened).toBe(0);
    hasSpace = true;
    for (const write of writes) await write();
    expect(opened).toBe(1);
  });

  it('answers reads while it is reopened', async () => {
    await failToWrite();
    let reads: Promise<unknown>[] = [];
    tested.engine.once('closing', () => {
      reads = [
        Promise.resolve(readEntity(store, 'Table', keyAt('old'))).then(numberOf),
        rowsOf(store, 'Table', { rowsMax: 1 }),
      ];
    });
    await commit(store, 'Table', insert(keyAt('new'), 2));
    expect(reads).toHaveLength(2);
    expect(await reads[0]).toBe(1);
    expect(await reads[1]).toHaveLength(1);
  });

  it('answers a read of service properties while it is reopened', async () => {
    const written = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
    await store.writeServiceProperties(account, written);
    await tested.reopen();
    store = tested.store();
    await failToWrite();
    let read: Promise<unknown> | undefined;
    tested.engine.once('closing', () => {
      read = Promise.resolve().then(() => store.readServiceProperties(account));
    });
    await commit(store, 'Table', insert(keyAt('new'), 2));
    expect(await read).toEqual(written);
  });

  it('waits for running scans before it is reopened', async () => {
    const rows = Array.from({ length: 3500 }, (_, at) => `r${String(at).padStart(4, '0')}`);
    await commit(store, 'Table', ...rows.map((row) => insert(keyAt(row), 1)));
    await failToWrite();
    let writing: Promise<unknown> | undefined;
    // The engine must be reopened after the scan has read some rows, but not all.
    onFirstRows(tested.engine, () => {
      writing = commit(store, 'Table', insert(keyAt('new'), 2));
    });
    expect(await rowsOf(store, 'Table')).toEqual(['p/old', ...rows.map((row) => `p/${row}`)]);
    await writing;
    expect(opened).toBe(1);
    expect(await rowsOf(store, 'Table')).toHaveLength(rows.length + 2);
  });

  it('delays new scans while it waits for running scans before it is reopened', async () => {
    await failToWrite();
    let late: Promise<readonly string[]> | undefined;
    onFirstRows(tested.engine, () => void commit(store, 'Table', insert(keyAt('new'), 2)));
    const first = rowsOf(store, 'Table');
    tested.engine.once('closing', () => {
      late = rowsOf(store, 'Table');
    });
    expect(await first).toEqual(['p/old']);
    await commit(store, 'Table', insert(keyAt('next'), 2));
    expect(await late).toContain('p/old');
  });

  it('does not wait for a view, which continues when it is open again', async () => {
    const rows = Array.from({ length: 3500 }, (_, at) => `r${String(at).padStart(4, '0')}`);
    await commit(store, 'Table', ...rows.map((row) => insert(keyAt(row), 1)));
    const view = await tested.store().openView(() => true);
    const parts = view.read()[Symbol.asyncIterator]();
    expect(await parts.next()).toMatchObject({ value: { kind: 'table' } });
    const first = await parts.next();
    let read = first.value?.kind === 'entities' ? first.value.texts.length : 0;
    expect(read).toBeGreaterThan(0);
    await failToWrite();
    await commit(store, 'Table', insert(keyAt('new'), 2));
    expect(opened).toBe(1);
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      read += part.value.kind === 'entities' ? part.value.texts.length : 0;
    }
    expect(read).toBe(1 + rows.length);
    await view.close();
    expect(await rowsOf(store, 'Table', { rowsMax: 2 })).toEqual(['p/new', 'p/old']);
  });

  it('is closed with its store, even while it waits for a scan before it is reopened', async () => {
    await failToWrite();
    let writing: Promise<unknown> | undefined;
    let closing: Promise<void> | undefined;
    onFirstRows(tested.engine, () => {
      writing = commit(store, 'Table', insert(keyAt('new'), 2)).catch((error: unknown) => error);
      closing = store.close();
    });
    await Promise.allSettled([rowsOf(store, 'Table')]);
    await closing;
    expect(await writing).toMatchObject({ message: 'the store is closed' });
    expect([tested.engine.status, opened]).toEqual(['closed', 0]);
  });

  it('is reopened by the next caller if it could not be opened', async () => {
    await failToWrite();
    const { open } = tested.engine;
    tested.engine.open = () => Promise.reject(new Error('not now'));
    await expect(commit(store, 'Table', insert(keyAt('new'), 2))).rejects.toThrow('not now');
    await expect(rowsOf(store, 'Table')).rejects.toThrow('not now');
    tested.engine.open = open;
    expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    await commit(store, 'Table', insert(keyAt('new'), 2));
    expect(await rowsOf(store, 'Table')).toEqual(['p/new', 'p/old']);
  });

  it('continues the sweep that failed', async () => {
    const restore = interceptBatches(tested.engine, () => Promise.reject(new Error('no space left on device')));
    await store.deleteTable(account, 'Table');
    await tested.store().swept();
    restore();
    expect(tested.reports).toMatchObject([{ message: 'no space left on device' }]);
    expect(isRejection(await store.createTable(account, 'Next'))).toBe(false);
    await tested.store().swept();
    await tested.reopen();
    expect(await tested.storedKeys('entity')).toEqual([]);
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });

  it('stays closed after its store is closed', async () => {
    await failToWrite();
    await store.close();
    await expect(commit(store, 'Table', insert(keyAt('new')))).rejects.toThrow('the store is closed');
    await expect(rowsOf(store, 'Table')).rejects.toThrow('the store is closed');
    expect([tested.engine.status, opened]).toEqual(['closed', 0]);
  });
});

describe('a disk that fails all writes', () => {
  it('leaves the engine open, so that reads continue until it can be written again', async () => {
    let isBroken = false;
    const whileWhole = <A extends readonly unknown[], T>(call: (...args: A) => T) => {
      return (...args: A): T => {
        if (isBroken) throw new Error('EROFS: read-only file system');
        return call(...args);
      };
    };
    const { create, write, sync, ...others } = systemFiles;
    const files = { ...others, create: whileWhole(create), write: whileWhole(write), sync: whileWhole(sync) };
    const tested = await openLevelOn('LevelDB', undefined, { logOptions: { files } });
    const store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('old'), 1));
    await store.swept();
    let closed = 0;
    tested.engine.on('closing', () => {
      closed++;
    });
    isBroken = true;
    for (const row of ['a', 'b', 'c']) {
      await expect(commit(store, 'Table', insert(keyAt(row)))).rejects.toThrow('read-only file system');
      expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    }
    await expect(tested.store().checkWrites()).rejects.toMatchObject({ code: 'no-access' });
    expect(closed).toBe(0);
    isBroken = false;
    await commit(store, 'Table', insert(keyAt('new'), 2));
    expect(closed).toBe(1);
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/new', 'p/old']);
    await tested.dispose();
  });
});
