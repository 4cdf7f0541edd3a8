import { afterEach, describe, expect, it, vi } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import type { LevelStore } from '../../../../../src/store/level/level-store.js';
import { systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { type LevelGround, type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
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

let tested: LevelUnderTest;
let failing: 'write' | 'sync' | undefined;
afterEach(() => tested.dispose());

/** Opens a store with a table whose log fails while `failing` says so. */
async function openFailing(ground: LevelGround): Promise<void> {
  failing = undefined;
  const files: typeof systemFiles = {
    ...systemFiles,
    write(descriptor, bytes, position) {
      if (failing === 'write') throw new Error('EIO');
      systemFiles.write(descriptor, bytes, position);
    },
    async writeLater(descriptor, bytes, position) {
      files.write(descriptor, bytes, position);
    },
    async sync(descriptor) {
      if (failing === 'sync') throw new Error('EIO');
      await systemFiles.sync(descriptor);
    },
  };
  tested = await openLevelOn(ground, undefined, { logOptions: { files } });
  await tested.store().createTable(account, 'Table');
}

it.each([
  ['LevelDB', 'write'],
  ['LevelDB, synced', 'write'],
  ['LevelDB, synced', 'sync'],
] as const)(
  'In %s, what is acknowledged after the first commit of a start has failed at its %s survives the next start',
  async (ground, step) => {
    await openFailing(ground);
    await commit(tested.store(), 'Table', insert(keyAt('a')));
    await tested.reopen();
    failing = step;
    await expect(commit(tested.store(), 'Table', insert(keyAt('failed')))).rejects.toThrow();
    failing = undefined;
    await commit(tested.store(), 'Table', insert(keyAt('b')));
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b']);
  },
);

describe('When two operations wait for the engine, and the first one fails again, the second one', () => {
  /** Runs an operation behind a failed write and another operation that fails again. */
  async function failBehindAnother(run: () => Promise<unknown>): Promise<void> {
    failing = 'write';
    await expect(commit(tested.store(), 'Table', insert(keyAt('failed')))).rejects.toThrow('EIO');
    const outcomes = await Promise.allSettled([tested.store().createTable(account, 'First'), run()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = undefined;
    await commit(tested.store(), 'Table', insert(keyAt('later')));
  }

  it('leaves no table that nobody can read', async () => {
    await openFailing('LevelDB');
    const store = tested.store();
    await failBehindAnother(() => store.createTable(account, 'Second'));
    expect(await store.openTable(account, 'Second').commit([insert(keyAt('a'))])).toMatchObject({
      reason: 'table-missing',
    });
    expect(await store.createTable(account, 'Second')).toMatchObject({ name: 'Second' });
  });

  it('is not acknowledged because of what the first one did not do', async () => {
    await openFailing('LevelDB');
    const store = tested.store();
    await store.snapshots.branch({
      account: 'branch',
      from: { account },
      key: 'key',
      expires: Number.MAX_SAFE_INTEGER,
    });
    failing = 'write';
    await expect(commit(store, 'Table', insert(keyAt('failed')))).rejects.toThrow('EIO');
    const outcomes = await Promise.allSettled([
      store.snapshots.endBranch('branch'),
      store.createTable('branch', 'Second'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = undefined;
    expect(await store.createTable('branch', 'Second')).toMatchObject({ name: 'Second' });
    expect(store.listTables('branch').map(({ name }) => name)).toEqual(['Second', 'Table']);
  });

  it('takes no table away that can be read', async () => {
    await openFailing('LevelDB');
    const store = tested.store();
    await failBehindAnother(async () => store.reset(account));
    await commit(store, 'Table', insert(keyAt('a')));
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/later']);
  });
});

it('A commit is rejected when the log fails again as soon as the engine is open again', async () => {
  let isFull = false;
  const files: typeof systemFiles = {
    ...systemFiles,
    create(path) {
      if (isFull) throw new Error('ENOSPC');
      return systemFiles.create(path);
    },
  };
  tested = await openLevelOn('LevelDB', undefined, { logOptions: { files, fileBytes: 1 } });
  const store = tested.store();
  await store.createTable(account, 'Table');
  await store.swept();
  isFull = true;
  await commit(store, 'Table', insert(keyAt('a')));
  // The checkpoint begins a segment. It may have failed before this.
  await store.swept().catch(() => {});
  const { open } = tested.engine;
  let left = 5;
  Object.assign(tested.engine, {
    async open() {
      if (left-- === 0) throw new Error('it is opened again and again');
      await open.call(tested.engine, {});
    },
  });
  await expect(commit(store, 'Table', insert(keyAt('b')))).rejects.toThrow('ENOSPC');
  isFull = false;
  await commit(store, 'Table', insert(keyAt('c')));
  expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/c']);
});

it('A branch whose end could not be written has its tables, and gets others', async () => {
  await openFailing('LevelDB');
  const store = tested.store();
  store.openAccount('cosmos', cosmosTraits);
  await store.createTable('cosmos', 'Table');
  await store.snapshots.branch({ account: 'branch', from: { account: 'cosmos' }, key: '', expires: 0 });
  failing = 'write';
  await expect(store.snapshots.endBranch('branch')).rejects.toThrow('EIO');
  failing = undefined;
  await store.createTable('branch', 'Other');
  expect(store.listTables('branch')).toMatchObject([{ name: 'Other' }, { name: 'Table' }]);
  expect(await store.openTable('branch', 'Table').commit([insert(keyAt('a'))])).toHaveLength(1);
});

it('A commit that fails while layers are merged takes no row of another table away', async () => {
  await openFailing('LevelDB');
  const store = tested.store();
  await store.createTable(account, 'Other');
  await commit(store, 'Table', insert(keyAt('a'), 1));
  await store.snapshots.take('s', [account]);
  await commit(store, 'Table', replace(keyAt('a'), 2), insert(keyAt('b'), 7));
  await store.swept();
  const { iterator } = tested.engine;
  let rejection: Promise<unknown> | undefined;
  // The merge reads the upper layer.
  const once = (...options: Parameters<typeof iterator>) => {
    const made = iterator.apply(tested.engine, options);
    const nextv = made.nextv.bind(made);
    return Object.assign(made, {
      nextv: async (size: number) => {
        const rows = await nextv(size);
        if (rejection) return rows;
        failing = 'write';
        rejection = commit(store, 'Other', insert(keyAt('failed'))).catch((error: unknown) => error);
        await rejection;
        failing = undefined;
        return rows;
      },
    });
  };
  Object.assign(tested.engine, { iterator: once });
  await store.snapshots.delete('s');
  await store.swept();
  expect(await rejection).toEqual(new Error('EIO'));
  Object.assign(tested.engine, { iterator });
  await commit(store, 'Table', replace(keyAt('a'), 3));
  await tested.reopen();
  expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b']);
  expect(numberOf(await readEntity(tested.store(), 'Table', keyAt('a')))).toBe(3);
});

describe('When the engine fails while a commit is on its way to the disk', () => {
  /** Runs an operation whose commit reaches the disk after the engine has failed. */
  async function runWhileEngineFails(run: (store: LevelStore) => Promise<unknown>): Promise<void> {
    let release: (() => void) | undefined;
    let isHeld = false;
    const files: typeof systemFiles = {
      ...systemFiles,
      async sync(descriptor) {
        if (isHeld && !release) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        await systemFiles.sync(descriptor);
      },
    };
    tested = await openLevelOn('LevelDB, synced', undefined, { logOptions: { files } });
    const store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('a'), 1));
    const { batch } = tested.engine;
    let fail: (() => void) | undefined;
    const write = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('EIO'));
      });
    Object.assign(tested.engine, {
      batch: (...none: []) => Object.assign(batch.apply(tested.engine, none), { write }),
    });
    const failed = store.swept().catch((error: unknown) => error);
    await vi.waitFor(() => expect(fail).toBeDefined());
    isHeld = true;
    const running = run(store);
    await vi.waitFor(() => expect(release).toBeDefined());
    fail?.();
    expect(await failed).toEqual(new Error('EIO'));
    Object.assign(tested.engine, { batch });
    release?.();
    await running;
  }

  it('a snapshot stays as it was taken', async () => {
    await runWhileEngineFails((store) => store.snapshots.take('s', [account]));
    const store = tested.store();
    await commit(store, 'Table', replace(keyAt('a'), 2));
    await store.snapshots.exchange({ restored: { snapshot: 's', accounts: [{ from: account, to: account }] } });
    expect(numberOf(await readEntity(store, 'Table', keyAt('a')))).toBe(1);
  });

  it('the first table of an account is there', async () => {
    await runWhileEngineFails((store) => store.createTable('other', 'First'));
    const store = tested.store();
    expect(store.listTables('other')).toMatchObject([{ name: 'First' }]);
    expect(await store.createTable('other', 'First')).toMatchObject({ reason: 'table-exists' });
  });

  it('the only table of an account is there after it was made again', async () => {
    await runWhileEngineFails((store) =>
      Promise.all([store.deleteTable(account, 'Table'), store.createTable(account, 'Table')]),
    );
    expect(tested.store().listTables(account)).toMatchObject([{ name: 'Table' }]);
  });
});

it('A state that could not be frozen keeps no rows', async () => {
  tested = await openLevelOn('LevelDB, synced');
  const store = tested.store();
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('a'), 1));
  const { fail } = tested.failNextSync();
  const outcomes = Promise.allSettled([
    commit(store, 'Table', insert(keyAt('b'), 1)),
    store.snapshots.freeze({ account }),
  ]);
  fail();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await commit(store, 'Table', insert(keyAt('c'), 1));
  await store.deleteTable(account, 'Table');
  await store.swept();
  expect(await tested.storedKeys('entity\u0000')).toEqual([]);
});
