import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LevelStore } from '../../../../../src/store/level/level-store.js';
import type { StoreView } from '../../../../../src/store/stored-parts.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
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

describe('a store with changes that are only in its log', () => {
  let tested: LevelUnderTest;
  let store: LevelStore;
  let hasSpace: boolean;
  beforeEach(async () => {
    hasSpace = true;
    tested = await openLevelOn('LevelDB', undefined, {
      checkFreeSpace: async () => {
        if (!hasSpace) throw new Error('the disk is full');
      },
    });
    store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('logged'), 1));
  });
  afterEach(() => tested.dispose());

  /** Makes a batch fail before the engine has it. */
  async function failBatch(): Promise<void> {
    const restore = interceptBatches(tested.engine, () => Promise.reject(new Error('no space left on device')));
    await expect(store.swept()).rejects.toThrow('no space left');
    restore();
  }

  async function rowsIn(view: StoreView): Promise<readonly number[]> {
    const rows: number[] = [];
    for await (const part of view.read()) {
      if (part.kind === 'entities') rows.push(...part.texts.map((text) => numberOf(text) ?? Number.NaN));
    }
    await view.close();
    return rows;
  }

  it('writes nothing to an engine that has failed before it is reopened', async () => {
    await failBatch();
    let batches = 0;
    const restore = interceptBatches(tested.engine, (write) => {
      batches++;
      return write();
    });
    await store
      .openView(() => true)
      .then(
        (view) => view.close(),
        () => {},
      );
    await store.swept().catch(() => {});
    restore();
    expect(batches).toBe(0);
    await commit(store, 'Table', insert(keyAt('next'), 2));
    expect(await rowsOf(store, 'Table')).toEqual(['p/logged', 'p/next']);
  });

  it('shows them in a view while the disk is full', async () => {
    await failBatch();
    hasSpace = false;
    await expect(commit(store, 'Table', insert(keyAt('next'), 2))).rejects.toThrow('the disk is full');
    expect(await rowsOf(store, 'Table')).toEqual(['p/logged']);
    expect(await rowsIn(await store.openView(() => true))).toEqual([1]);
  });

  it('keeps them when the engine got a batch although it reported an error', async () => {
    const restore = interceptBatches(tested.engine, async (write) => {
      await write();
      throw new Error('the disk did not answer');
    });
    await commit(store, 'Table', replace(keyAt('logged'), 7), insert(keyAt('new'), 7));
    await expect(store.swept()).rejects.toThrow('the disk did not answer');
    restore();
    await commit(store, 'Table', insert(keyAt('next'), 2));
    const numbers = await Promise.all(['logged', 'new'].map((row) => readEntity(store, 'Table', keyAt(row))));
    expect(numbers.map(numberOf)).toEqual([7, 7]);
    await tested.reopen();
    store = tested.store();
    expect(numberOf(await readEntity(store, 'Table', keyAt('logged')))).toBe(7);
  });

  it('keeps or rejects every write that comes while it is closed', async () => {
    const acknowledged: string[] = [];
    let isClosed = false;
    const writer = (async () => {
      for (let at = 0; !isClosed; at++) {
        await commit(store, 'Table', insert(keyAt(`r${at}`), at)).then(
          () => acknowledged.push(`p/r${at}`),
          () => {},
        );
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await store.close();
    isClosed = true;
    await writer;
    await expect(commit(store, 'Table', insert(keyAt('late')))).rejects.toThrow();
    await tested.reopen();
    store = tested.store();
    expect([...(await rowsOf(store, 'Table'))].sort()).toEqual(['p/logged', ...acknowledged].sort());
  });

  it('can be closed twice', async () => {
    await store.close();
    await store.close();
    expect(tested.reports).toEqual([]);
  });

  it('answers after a commit without changes', async () => {
    await store.swept();
    await store.openTable(account, 'Table').commit([]);
    await store.swept();
    expect(await rowsOf(store, 'Table')).toEqual(['p/logged']);
  });
});
