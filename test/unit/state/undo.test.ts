import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import { State } from '../../../src/state/state.js';
import { isRefusal, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { insert, keyAt, remove, replace } from '../../support/store/store-changes.js';
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
    state.stop();
    await tested.dispose();
    expect([...tested.reports, ...reports]).toEqual([]);
  });

  const write = async (table: string, ...changes: readonly ReturnType<typeof insert>[]) => {
    const outcome = await store.openTable(account, table).commit(changes);
    if (isRefusal(outcome)) throw new Error(outcome.reason);
  };
  /** Returns the stored texts of all entities by table: they have Timestamps and ETags. */
  const contents = async () => {
    const tables: Record<string, readonly string[]> = {};
    for (const { name } of await store.listTables(account)) {
      const page = await store.openTable(account, name).readPage({ ranges: [{}], rowsMax: 1000 });
      tables[name] = isRefusal(page) ? [] : page.rows;
    }
    return tables;
  };
  const keysIn = (texts: readonly string[] = []) => texts.map((text) => JSON.parse(text).RowKey);

  it('gives everything back that a reset has removed, byte for byte, and the settings', async () => {
    const settings = { ...defaultServiceProperties, hourMetrics: { includeApis: true, retention: { days: 1 } } };
    await store.writeServiceProperties(account, settings);
    await store.openTable(account, 'People').writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
    const [before, listed] = [await contents(), await store.listTables(account)];
    const { undo } = await state.reset();
    expect(await contents()).toEqual({});
    expect(await state.undo(undo)).toMatchObject({
      ...{ id: undo, what: 'reset all accounts', tables: 2, entities: 0 },
      ...{ leftOut: [], leftOutCount: 0 },
    });
    expect(await contents()).toEqual(before);
    expect(await store.listTables(account)).toMatchObject(listed.map(({ name, created }) => ({ name, created })));
    expect(await store.openTable(account, 'People').readAccessPolicies()).toEqual([{ id: 'reader', permission: 'r' }]);
    expect(await store.readServiceProperties(account)).toEqual(settings);
  });

  it('leaves a table alone that was made again since, but for the entities that it lacks', async () => {
    const before = await contents();
    const { undo } = await state.reset();
    await store.createTable(account, 'PEOPLE');
    await write('People', insert(keyAt('b'), 20), insert(keyAt('d'), 40));
    const made = await contents();
    expect(await state.undo(undo)).toMatchObject({
      ...{ tables: 1, entities: 2, leftOutCount: 1 },
      leftOut: [{ account, table: 'People', partitionKey: 'p', rowKey: 'b', why: 'The entity was written since.' }],
    });
    const [a, , c] = before['People'] ?? [];
    const [b, d] = made['PEOPLE'] ?? [];
    expect(await contents()).toEqual({ PEOPLE: [a, b, c, d], Places: before['Places'] });
  });

  it('restores the entities of an emptied table', async () => {
    const before = await contents();
    const { undo } = await state.reset({ table: 'People' });
    expect((await contents())['People']).toEqual([]);
    await write('Places', insert(keyAt('y'), 2));
    expect(await state.undo(undo)).toMatchObject({ what: 'reset all accounts/People', tables: 0, entities: 3 });
    expect((await contents())['People']).toEqual(before['People']);
    expect(keysIn((await contents())['Places'])).toEqual(['x', 'y']);
  });

  it('restores the entities of a filter, and none that others have deleted', async () => {
    const before = await contents();
    const { undo, entities } = await state.deleteEntities(undefined, 'People', 'N ge 2');
    expect(entities).toBe(2);
    await write('People', remove(keyAt('a')));
    expect(await state.undo(undo)).toMatchObject({ entities: 2, leftOutCount: 0 });
    expect((await contents())['People']).toEqual(before['People']?.slice(1));
  });

  it('restores a partition', async () => {
    await write('People', insert(keyAt('z', 'q'), 1));
    const before = await contents();
    const { undo } = await state.reset({ account, table: 'People', partition: 'p' });
    expect(keysIn((await contents())['People'])).toEqual(['z']);
    expect(await state.undo(undo)).toMatchObject({ what: `reset ${account}/People/p`, entities: 3 });
    expect(await contents()).toEqual(before);
  });

  it('says that a table was deleted since', async () => {
    const { undo } = await state.reset({ table: 'People' });
    await store.deleteTable(account, 'People');
    expect(await state.undo(undo)).toMatchObject({
      leftOut: [{ account, table: 'People', why: 'The table was deleted since.' }],
    });
    expect(Object.keys(await contents())).toEqual(['Places']);
  });

  it('of a restore restores what it has changed, and removes what it has added', async () => {
    await state.takeSnapshot('base');
    await write('People', replace(keyAt('a'), 10), remove(keyAt('b')), insert(keyAt('e'), 5));
    await store.deleteTable(account, 'Places');
    await store.createTable(account, 'Second');
    const before = await contents();
    const { undo } = await state.restoreSnapshot('base');
    expect(keysIn((await contents())['People'])).toEqual(['a', 'b', 'c']);
    expect(await state.undo(undo)).toMatchObject({ what: 'restore base', tables: 3, entities: 0, leftOutCount: 0 });
    expect(await contents()).toEqual(before);
  });

  it('of a reset to a snapshot without the table gives the table back', async () => {
    await state.takeSnapshot('base');
    await store.createTable(account, 'Later');
    await write('Later', insert(keyAt('l')));
    const before = await contents();
    const { undo, tables } = await state.reset({ table: 'Later', to: 'base' });
    expect(tables).toBe(0);
    expect(Object.keys(await contents())).toEqual(['People', 'Places']);
    expect(await state.undo(undo)).toMatchObject({ tables: 1, leftOutCount: 0 });
    expect(await contents()).toEqual(before);
    await expect(state.reset({ table: 'Missing', to: 'base' })).rejects.toThrow('There is no table Missing.');
    expect(await state.undos.list()).toEqual([]);
  });

  it('leaves settings alone that were written since', async () => {
    const written = { hourMetrics: { includeApis: true, retention: { days: 1 } } };
    const { undo } = await state.reset();
    await store.writeServiceProperties(account, written);
    expect(await state.undo(undo)).toMatchObject({ tables: 2, leftOutCount: 0 });
    expect(await store.readServiceProperties(account)).toMatchObject(written);
  });

  it('of a restore keeps what others have written since, entity by entity', async () => {
    await state.takeSnapshot('base');
    await write('People', replace(keyAt('a'), 10), remove(keyAt('b')), insert(keyAt('e'), 5));
    await store.openTable(account, 'People').writeAccessPolicies([{ id: 'own', permission: 'r' }]);
    const before = await contents();
    const { undo } = await state.restoreSnapshot('base');
    await write('People', replace(keyAt('b'), 21), insert(keyAt('e'), 50), insert(keyAt('f'), 6));
    const since = await contents();
    const report = await state.undo(undo);
    expect(report).toMatchObject({ entities: 1, leftOutCount: 2 });
    expect(report.leftOut.map(({ rowKey }) => rowKey)).toEqual(['b', 'e']);
    const [a] = before['People'] ?? [];
    const [, b, c, e, f] = since['People'] ?? [];
    expect((await contents())['People']).toEqual([a, b, c, e, f]);
    expect(await store.openTable(account, 'People').readAccessPolicies()).toEqual([{ id: 'own', permission: 'r' }]);
  });

  it('of a reset to a snapshot restores what the snapshot did not contain', async () => {
    await state.takeSnapshot('base');
    await write('Places', insert(keyAt('y'), 2));
    const before = await contents();
    const { undo } = await state.reset({ to: 'base' });
    expect(await state.undo(undo)).toMatchObject({ what: 'reset all accounts to base', tables: 2 });
    expect(await contents()).toEqual(before);
  });

  it('without an id restores what the most recent call removed, once', async () => {
    const before = await contents();
    await state.reset({ table: 'People' });
    await state.reset({ table: 'Places' });
    expect((await state.undos.list()).map(({ id, what }) => [id, what])).toEqual([
      ['undo-1', 'reset all accounts/People'],
      ['undo-2', 'reset all accounts/Places'],
    ]);
    expect(await state.undo()).toMatchObject({ id: 'undo-2' });
    expect(await contents()).toEqual({ People: [], Places: before['Places'] });
    await expect(state.undo('undo-2')).rejects.toThrow(
      'undo-2 is unknown or has expired. These can be undone: undo-1.',
    );
    expect(await state.undo()).toMatchObject({ id: 'undo-1' });
    await expect(state.undo()).rejects.toThrow('Nothing can be undone now.');
    expect(await contents()).toEqual(before);
  });

  it('keeps the last five calls, in states that no list shows and no request can name', async () => {
    await state.takeSnapshot('base');
    for (let at = 0; at < 7; at++) await state.reset({ table: 'People' });
    expect((await state.undos.list()).map(({ id }) => id)).toEqual(['undo-3', 'undo-4', 'undo-5', 'undo-6', 'undo-7']);
    expect(await store.snapshots.kept.list('undo')).toHaveLength(5);
    expect((await state.listSnapshots()).map(({ name }) => name)).toEqual(['base']);
    await expect(state.restoreSnapshot('7')).rejects.toThrow('There is no snapshot 7.');
    await expect(state.deleteSnapshot('undo-7')).rejects.toThrow('There is no snapshot undo-7.');
  });

  it('cannot give back after ten minutes, and the next call deletes what was kept', async () => {
    const { undo } = await state.reset({ table: 'People' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 });
    try {
      await expect(state.undo(undo)).rejects.toThrow('Nothing can be undone now.');
      expect(await store.snapshots.kept.list('undo')).toHaveLength(1);
      const { undo: next } = await state.reset({ table: 'Places' });
      expect((await state.undos.list()).map(({ id }) => id)).toEqual([next]);
      expect(await store.snapshots.kept.list('undo')).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  // Queries of a database have limits of time of their own.
  it.skipIf(ground.engine === 'postgres')('deletes after ten minutes what it has kept', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      await state.reset({ table: 'People' });
      expect(await state.undos.list()).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(await state.undos.list()).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    // The deletion of the snapshots was asked for before this.
    await store.checkWrites();
    await vi.waitFor(async () => expect(await store.snapshots.list()).toEqual([]), 60_000);
  });

  it('keeps nothing of a branch, of a call that failed, or for a server that does not want it', async () => {
    const branch = await state.branch();
    expect(await state.reset({ account: branch.account })).not.toHaveProperty('undo');
    await expect(state.deleteEntities(undefined, 'Missing', 'N eq 1')).rejects.toThrow('no table Missing');
    expect(await state.undos.list()).toEqual([]);
    expect(await store.snapshots.list()).toEqual([]);
    await state.endBranch(branch.account);
    const other = new State(store, new Accounts([developmentAccount]), (error) => reports.push(error), false);
    expect(await other.reset()).not.toHaveProperty('undo');
  });

  it('restores across a restart, and discards unfinished undos', async () => {
    const before = await contents();
    const { undo } = await state.deleteEntities(undefined, 'People', "RowKey ge 'b'");
    const { undo: second } = await state.reset({ account });
    state.stop();
    await tested.reopen();
    await open();
    expect((await state.undos.list()).map(({ id, what }) => [id, what])).toEqual([
      [undo, `delete ${account}/People where RowKey ge 'b'`],
      [second, `reset ${account}`],
    ]);
    expect(await state.undo(second)).toMatchObject({ tables: 2, leftOutCount: 0 });
    expect(await state.undo(undo)).toMatchObject({ entities: 2, leftOutCount: 0 });
    expect(await contents()).toEqual(before);
    expect((await state.reset()).undo).not.toBe(second);
  });

  it('can be undone again if it ends before what it kept is dropped', async () => {
    const before = await contents();
    const { undo } = await state.restoreSnapshot((await state.takeSnapshot('base')).name);
    vi.spyOn(store.snapshots.kept, 'drop').mockRejectedValueOnce(new Error('killed'));
    await state.undo(undo);
    vi.restoreAllMocks();
    expect(reports.splice(0)).toHaveLength(1);
    for (const { id } of await state.undos.list()) expect(await state.undo(id)).toMatchObject({ leftOutCount: 0 });
    expect(await contents()).toEqual(before);
    state.stop();
    await tested.reopen();
    await open();
    expect((await state.listSnapshots()).map(({ name }) => name)).toEqual(['base']);
    if (ground.engine !== 'postgres') expect(await store.snapshots.kept.list('undo')).toEqual([]);
  });

  it('is not offered for a deletion whose record cannot be kept, and the deletion is made', async () => {
    vi.spyOn(store.snapshots.kept, 'note').mockRejectedValueOnce(new Error('full'));
    expect(await state.deleteEntities(undefined, 'People', 'N ge 1')).not.toHaveProperty('undo');
    vi.restoreAllMocks();
    expect(reports.splice(0)).toEqual([new Error('full')]);
    expect((await contents())['People']).toEqual([]);
    expect(await store.snapshots.kept.list('undo')).toEqual([]);
  });

  it('restores the entities that a failed deletion had deleted', async () => {
    await write('People', ...Array.from({ length: 600 }, (_, at) => insert(keyAt(`d${at}`), 9)));
    const before = await contents();
    const handle = store.openTable(account, 'People');
    const original = handle.commit.bind(handle);
    const commit = vi.spyOn(handle, 'commit').mockImplementation((changes) => {
      if (commit.mock.calls.length > 1) throw new Error('unreachable');
      return original(changes);
    });
    vi.spyOn(store, 'openTable').mockReturnValueOnce(handle);
    await expect(state.deleteEntities(undefined, 'People', 'N eq 9')).rejects.toThrow('unreachable');
    vi.restoreAllMocks();
    expect((await contents())['People']).toHaveLength(103);
    expect(await state.undos.list()).toMatchObject([{ what: `delete ${account}/People where N eq 9, which failed` }]);
    expect(await state.undo()).toMatchObject({ leftOutCount: 0 });
    expect(await contents()).toEqual(before);
  });

  it('keeps what a deletion deletes, however many calls are made while it runs', async () => {
    const handle = store.openTable(account, 'People');
    const original = handle.commit.bind(handle);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    vi.spyOn(handle, 'commit').mockImplementation((changes) => held.then(() => original(changes)));
    vi.spyOn(store, 'openTable').mockReturnValueOnce(handle);
    const deleting = state.deleteEntities(undefined, 'People', "RowKey eq 'a'");
    await vi.waitUntil(async () => (await store.snapshots.kept.list('undo')).length > 0, { timeout: 30_000 });
    expect(await state.undos.list()).toEqual([]);
    for (let call = 0; call < 6; call++) await state.reset({ table: 'Places' });
    goOn();
    const { undo } = await deleting;
    expect((await state.undos.list()).map(({ id }) => id)).toContain(undo);
    expect(await state.undo(undo)).toMatchObject({ entities: 1, leftOutCount: 0 });
  });

  it('notifies listeners of commits which entities were restored', async () => {
    const { undo } = await state.deleteEntities(undefined, 'People', "RowKey eq 'a'");
    const told: unknown[] = [];
    store.onCommit(({ table, changes }) => told.push(table, ...changes.map(({ kind, key }) => [kind, key.rowKey])));
    await state.undo(undo);
    expect(told).toEqual(['People', ['insert', 'a']]);
  });
});
