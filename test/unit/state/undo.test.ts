import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import { State } from '../../../src/state/state.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { insert, keyAt } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const account = developmentAccount.name;

describe.each(grounds)('undo, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  let reports: unknown[];
  const open = async () => {
    store = tested.store();
    state = new State(store, new Accounts([developmentAccount]), (error) => reports.push(error));
    await state.resume();
  };
  beforeEach(async () => {
    reports = [];
    tested = await openTestStore(ground);
    await open();
    for (const table of ['People', 'Places']) await store.createTable(account, table);
    await write('People', insert(keyAt('a'), 1), insert(keyAt('b'), 2), insert(keyAt('c'), 3));
    await write('Places', insert(keyAt('x'), 1));
  });
  afterEach(async () => {
    await state.stop();
    await tested.dispose();
    expect([...tested.reports, ...reports]).toEqual([]);
  });

  const write = async (table: string, ...changes: readonly ReturnType<typeof insert>[]) => {
    const outcome = await store.openTable(account, table).commit(changes);
    if (isRejection(outcome)) throw new Error(outcome.reason);
  };
  /** Returns the stored texts of all entities by table: they have Timestamps and ETags. */
  const contents = async () => {
    const tables: Record<string, readonly string[]> = {};
    for (const { name } of await store.listTables(account)) {
      const page = await store.openTable(account, name).readPage({ ranges: [{}], rowsMax: 10_000 });
      tables[name] = isRejection(page) ? [] : page.rows;
    }
    return tables;
  };
  const importRows = (mode: 'insert' | 'replace', strict: boolean, ...rows: readonly string[]) => {
    async function* read() {
      yield Buffer.from(rows.map((RowKey) => `${JSON.stringify({ PartitionKey: 'p', RowKey, N: 9 })}\n`).join(''));
    }
    return new Transfer(store, state).import([{ format: 'ndjson', open: read }], { table: 'People', mode, strict });
  };

  it.each([
    ['a reset of all', () => state.reset()],
    ['a reset of a table', () => state.reset({ table: 'People' })],
    ['a reset of a partition', () => state.reset({ table: 'People', partition: 'p' })],
    ['a deletion', () => state.deleteEntities({ table: 'People', filter: 'N gt 1' })],
    ['an import', () => importRows('replace', false, 'a', 'new')],
  ])(
    'restores everything that %s has changed, byte for byte, and another undo brings the change back',
    async (_, call) => {
      const settings = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
      await store.writeServiceProperties(account, settings);
      await store.openTable(account, 'People').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
      const before = await contents();
      const { undo } = await call();
      const changed = await contents();
      expect(changed).not.toEqual(before);
      const { undo: again } = await state.undo(undo);
      await store.swept();
      expect(await contents()).toEqual(before);
      expect(await store.openTable(account, 'People').readAccessPolicies()).toEqual([
        { id: 'reader', permission: 'r' },
      ]);
      expect(await store.readServiceProperties(account)).toEqual(settings);
      await state.undo(again);
      expect(await contents()).toEqual(changed);
    },
  );

  it('leaves other tables alone, and removes what was written since to its own', async () => {
    const before = await contents();
    const { undo } = await state.reset({ table: 'People' });
    await write('People', insert(keyAt('late'), 4));
    await write('Places', insert(keyAt('y'), 2));
    const { Places } = await contents();
    await state.undo(undo);
    expect(await contents()).toEqual({ People: before['People'], Places });
  });

  it('undoes two calls if two come at once, newest first', async () => {
    const before = await contents();
    for (const table of ['People', 'Places']) await state.reset({ table });
    const undone = await Promise.all([state.undo(), state.undo()]);
    expect(undone.map(({ id }) => id)).toEqual(['undo-2', 'undo-1']);
    expect(await contents()).toEqual(before);
    await expect(state.undo('undo-1')).rejects.toThrow(/unknown or has expired/);
  });

  it('restores a deletion of many parts as a whole', async () => {
    for (let part = 0; part < 40; part++) {
      await write(
        'People',
        ...Array.from({ length: 100 }, (_, at) => insert(keyAt(`r${part * 100 + at}`), part + 100)),
      );
    }
    const before = await contents();
    let undo: string | undefined;
    for (let part = 0; part < 40; part++) {
      const wish = { table: 'People', filter: `N eq ${part + 100}`, ...(undo !== undefined && { undo }) };
      undo = (await state.deleteEntities(wish)).undo;
    }
    expect((await contents())['People']).toHaveLength(3);
    expect(await state.undos.list()).toHaveLength(1);
    await state.undo(undo);
    expect(await contents()).toEqual(before);
    const wish = { table: 'Places', filter: 'N eq 1', undo: (await state.reset({ table: 'People' })).undo ?? '' };
    await expect(state.deleteEntities(wish)).rejects.toThrow(/is of other tables/);
  });

  it('keeps a deletion for ten minutes after its last part has begun', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { undo = '' } = await state.deleteEntities({ table: 'People', filter: 'N eq 1' });
      const [first] = await state.undos.list();
      vi.setSystemTime(Date.now() + 9 * 60_000);
      await state.deleteEntities({ table: 'People', filter: 'N eq 2', undo });
      const [last] = await state.undos.list();
      expect(Date.parse(last?.until ?? '') - Date.parse(first?.until ?? '')).toBe(9 * 60_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'that begins %s a part of its deletion loses no row: it waits for the part, or the part is rejected',
    async (_when, isFirst) => {
      const before = await contents();
      const { undo = '' } = await state.deleteEntities({ table: 'People', filter: 'N eq 1' });
      const part = () => state.deleteEntities({ table: 'People', filter: 'N eq 2', undo });
      const calls = isFirst ? [() => state.undo(undo), part] : [part, () => state.undo(undo)];
      const ends = await Promise.allSettled(calls.map((call) => call()));
      expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
      expect(await contents()).toEqual(before);
      await expect(part()).rejects.toThrow(/unknown or has expired|Nothing can be undone/);
    },
  );

  it('is made of a strict import that fails, with the tables that it has made', async () => {
    const before = await contents();
    const rows = Array.from({ length: 1500 }, (_, at) => `n${at}`);
    await expect(importRows('replace', true, 'a', ...rows, 'a/b')).rejects.toThrow();
    expect(await contents()).toEqual(before);
    expect(await state.undos.list()).toEqual([]);
  });

  it('restores across a restart', async () => {
    const before = await contents();
    const { undo } = await state.reset();
    await state.stop();
    await tested.reopen();
    await open();
    await state.undo(undo);
    expect(await contents()).toEqual(before);
  });

  it('keeps nothing of a call that has changed nothing', async () => {
    await expect(state.deleteEntities({ table: 'None', filter: 'N eq 1' })).rejects.toThrow(/has no table/);
    expect(await state.undos.list()).toEqual([]);
    await expect(state.undo()).rejects.toThrow('Nothing can be undone now.');
  });
});
