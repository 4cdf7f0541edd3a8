import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import type { Store } from '../../../src/store/store.js';
import { type ImportSource, Transfer } from '../../../src/transfer/transfer.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  replace,
  rowsOf,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const header = '{"$table":"Orders"}\n';
const row = (rowKey: string, n: number) => `{"PartitionKey":"p","RowKey":"${rowKey}","N":${n}}\n`;

describe.each(grounds)('The undo of an import, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  let transfer: Transfer;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    state = new State(store, new Accounts([{ name: account, keys: ['a2V5'] }]), () => {});
    transfer = new Transfer(store, state);
    for (const table of ['Orders', 'Others']) await store.createTable(account, table);
    await commit(store, 'Orders', insert(keyAt('a'), 1));
    await commit(store, 'Others', insert(keyAt('x'), 1));
  });
  afterEach(async () => {
    state.stop();
    await tested.dispose();
  });

  /** Returns a file whose last part does what it does when all before it is imported. */
  const source = (text: string, last: () => Promise<string>): ImportSource => ({
    format: 'ndjson',
    async *open() {
      yield Buffer.from(`${header}${text}`);
      yield Buffer.from(await last());
    },
  });
  const numberIn = async (table: string, rowKey: string) => numberOf(await readEntity(store, table, keyAt(rowKey)));

  it('leaves alone the writes of others to tables that it did not touch', async () => {
    const last = async () => {
      await commit(store, 'Others', replace(keyAt('x'), 2), insert(keyAt('y'), 3));
      await store.createTable(account, 'Later');
      return '';
    };
    const { undo } = await transfer.import([source(row('a', 9), last)], { mode: 'replace' });
    expect(await numberIn('Orders', 'a')).toBe(9);
    expect(await state.undo(undo)).toMatchObject({ tables: 1 });
    expect(await numberIn('Orders', 'a')).toBe(1);
    expect([await numberIn('Others', 'x'), await numberIn('Others', 'y')]).toEqual([2, 3]);
    expect((await store.listTables(account)).map(({ name }) => name)).toEqual(['Later', 'Orders', 'Others']);
  });

  it('restores what an import had replaced when it was cut off', async () => {
    const cutOff = async () => {
      throw new Error('aborted');
    };
    const rows = Array.from({ length: 600 }, (_, at) => row(`new-${at}`, at)).join('');
    const cut = source(`${row('a', 9)}${rows}`, cutOff);
    await expect(transfer.import([cut], { mode: 'replace' })).rejects.toThrow('aborted');
    expect(await numberIn('Orders', 'a')).toBe(9);
    expect(await state.undos.list()).toMatchObject([{ what: 'import into all accounts, which failed' }]);
    await state.undo();
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a']);
    expect(await numberIn('Orders', 'a')).toBe(1);
  });

  it('keeps nothing of an import that brought back everything itself, or changed nothing', async () => {
    const bad = async () => row('a/b', 1);
    const strict = transfer.import([source(row('a', 9), bad)], { mode: 'replace', strict: true });
    await expect(strict).rejects.toThrow('Nothing was imported.');
    await expect(transfer.import([source('', bad)], { mode: 'replace', account: 'none' })).rejects.toThrow(
      'no account',
    );
    expect(await numberIn('Orders', 'a')).toBe(1);
    expect(await state.undos.list()).toEqual([]);
    expect(await store.snapshots.list()).toEqual([]);
  });
});
