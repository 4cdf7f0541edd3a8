import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import type { DiffRequest } from '../../../src/state/contract.js';
import { State } from '../../../src/state/state.js';
import type { Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { insert, keyAt, remove, replace } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('a diff, in $engine with $cacheBytes bytes of cache', (ground) => {
  const { name: account } = developmentAccount;
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  const reports: unknown[] = [];
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    state = new State(store, new Accounts([developmentAccount]), (error) => reports.push(error));
    for (const name of ['Table', 'Gone']) await store.createTable(account, name);
    await write('Table', ...['a', 'b', 'c', 'd'].map((row) => insert(keyAt(row), 1)));
    await write('Gone', insert(keyAt('g'), 1));
    await state.takeSnapshot('base');
  });
  afterEach(async () => {
    state.stop();
    // Nothing is left of the copies that were compared.
    expect(await store.snapshots.branches()).toEqual([]);
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });
  const write = async (table: string, ...changes: Parameters<ReturnType<Store['openTable']>['commit']>[0]) => {
    expect(await store.openTable(account, table).commit(changes)).toBeInstanceOf(Array);
  };
  const diff = async (wish: DiffRequest) => {
    const { differences, more } = await state.diff(wish);
    const lines = differences.map(({ kind, table, rowKey }) => [kind, table, rowKey].filter(Boolean).join(' '));
    return more ? [...lines, 'more'] : lines;
  };
  const change = async () => {
    await write('Table', replace(keyAt('a'), 2), remove(keyAt('b')), replace(keyAt('c'), 1), insert(keyAt('bb')));
    await store.deleteTable(account, 'Gone');
    await store.createTable(account, 'New');
    await write('New', insert(keyAt('n')));
  };

  it('names tables and entities that were added, removed or changed', async () => {
    await change();
    expect(await diff({ from: 'base' })).toEqual([
      'table-removed Gone',
      'removed Gone g',
      'table-added New',
      'added New n',
      'changed Table a',
      'removed Table b',
      'added Table bb',
    ]);
    const { differences } = await state.diff({ from: 'base', table: 'table' });
    expect(differences[0]).toMatchObject({ before: { RowKey: 'a', N: 1 }, after: { RowKey: 'a', N: 2 } });
  });

  it('compares in both directions, and a state with itself', async () => {
    await change();
    await state.takeSnapshot('later');
    expect(await diff({ from: 'later', to: 'base', table: 'Table' })).toEqual([
      'changed Table a',
      'added Table b',
      'removed Table bb',
    ]);
    expect(await diff({ from: 'later' })).toEqual([]);
    expect(await diff({ from: account, to: 'later' })).toEqual([]);
  });

  it('sees that only the type of a property changed', async () => {
    const double = [{ name: 'N', type: 'Edm.Double' as const, json: '1.0', valueBytes: 8 }];
    await write('Table', { kind: 'replace', key: keyAt('a'), properties: double, ifMatch: undefined });
    expect(await diff({ from: 'base' })).toEqual(['changed Table a']);
    // As a JSON number it would look like the Int32 1.
    const { differences } = await state.diff({ from: 'base' });
    expect(differences).toMatchObject([{ after: { N: 1, 'N@odata.type': 'Edm.Double' } }]);
    expect(differences[0]?.before).not.toHaveProperty('N@odata.type');
  });

  it('compares a branch with what it began as', async () => {
    const { account: branch } = await state.branch({ from: 'base' });
    await store.openTable(branch, 'Table').commit([remove(keyAt('d'))]);
    expect(await diff({ from: 'base', to: branch })).toEqual(['removed Table d']);
    await state.endBranch(branch);
  });

  it('reads more than a page, and ends at its limit', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => keyAt(String(at).padStart(5, '0'), 'q'));
    await write('Table', ...rows.map((key) => insert(key)));
    expect((await diff({ from: 'base', limit: 10_000 })).length).toBe(2500);
    expect(await diff({ from: 'base', limit: 2 })).toEqual(['added Table 00000', 'added Table 00001', 'more']);
  });

  it('ends before its entities have more than 16 Mi characters', async () => {
    const json = `"${'x'.repeat(32 * 1024)}"`;
    const large = Array.from({ length: 15 }, (_, at) => {
      return { name: `S${at}`, type: 'Edm.String' as const, json, valueBytes: 64 * 1024 };
    });
    for (let at = 0; at < 36; at++) {
      await write('Table', { kind: 'insert', key: keyAt(String(at).padStart(2, '0')), properties: large });
    }
    const { differences, more } = await state.diff({ from: 'base' });
    expect([differences.length, more]).toEqual([34, true]);
  });

  it('reports a state that it cannot release, and releases the other one', async () => {
    const { snapshots } = store;
    const freeze = snapshots.freeze.bind(snapshots);
    const released: string[] = [];
    vi.spyOn(snapshots, 'freeze').mockImplementation(async (from) => {
      const view = await freeze(from);
      const close = async () => {
        await view?.close();
        released.push(from.snapshot ?? from.account);
        if (from.snapshot === 'base') throw new Error('cannot release');
      };
      return view && { ...view, close };
    });
    expect(await diff({ from: 'base' })).toEqual([]);
    expect(reports.splice(0)).toEqual([new Error('cannot release')]);
    expect(released).toHaveLength(2);
  });

  it.each([
    [{ from: 'missing' }, 'There is no snapshot missing.'],
    [{ from: 'base', to: 'missing' }, 'There is no snapshot missing.'],
    [{ from: 'base', limit: 0 }, 'A list has 1 to 10000 differences, not 0.'],
  ])('is rejected for %j', async (wish, message) => {
    await expect(state.diff(wish)).rejects.toThrow(message);
  });
});
