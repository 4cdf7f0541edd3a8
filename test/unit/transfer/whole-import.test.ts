import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import type { KeptId } from '../../../src/store/snapshots.js';
import type { Store } from '../../../src/store/store.js';
import type { ImportMode } from '../../../src/transfer/contract.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, numberOf, readEntity, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

/** More rows than one transaction of an import has, so that the first ones are written before the last ones are read. */
const filling = Array.from({ length: 501 }, (_, at) => row(`filling-${at}`, at)).join('');

function row(rowKey: string, n: number): string {
  return `${JSON.stringify({ PartitionKey: 'p', RowKey: rowKey, N: n })}\n`;
}

describe.each(grounds)('A strict import that fails, in $engine with $cacheBytes bytes of cache,', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  const open = async () => {
    store = tested.store();
    state = new State(store, new Accounts([{ name: account, keys: ['a2V5'] }]), () => {});
    await state.resume();
  };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    await open();
    await store.createTable(account, 'Orders');
    await commit(store, 'Orders', ...['a', 'b', 'c', 'd'].map((name, at) => insert(keyAt(name), at)));
  });
  afterEach(async () => {
    await state.stop();
    expect(await store.snapshots.list()).toEqual([]);
    expect(await store.snapshots.branches()).toEqual([]);
    await tested.dispose();
  });

  /** Imports parts of a file, and does something before each but the first. All rows of a part are then written. */
  const importParts = async (
    mode: ImportMode,
    parts: readonly string[],
    ...between: readonly (() => Promise<unknown>)[]
  ) => {
    async function* read() {
      for (const [at, part] of parts.entries()) {
        if (at > 0) await between[at - 1]?.();
        yield Buffer.from(`${part}`);
      }
    }
    return new Transfer(store, state).import([{ format: 'ndjson', open: read }], { mode, strict: true });
  };
  const numbers = async (table = 'Orders') => {
    const keys = (await rowsOf(store, table)).map((key) => key.slice('p/'.length));
    const read = async (key: string) => [key, numberOf(await readEntity(store, table, keyAt(key)))] as const;
    return Object.fromEntries(await Promise.all(keys.map(read)));
  };
  const header = '{"$table":"Orders"}\n';

  it('is none if only what it has kept cannot be removed', async () => {
    const remove = vi.spyOn(store.snapshots.kept, 'drop').mockRejectedValueOnce(new Error('unreachable'));
    await expect(importParts('insert', [`${header}${row('x', 9)}`])).resolves.toMatchObject({ rows: 1 });
    for (const [kept] of [...remove.mock.calls]) await store.snapshots.kept.drop(kept);
  });

  it('rolls back its writes before the server stops', async () => {
    let stopped: Promise<void> | undefined;
    const never = new Promise<void>(() => {});
    const stop = async () => {
      expect((await numbers())['filling-0']).toBe(0);
      stopped = state.stop();
      await never;
    };
    await expect(importParts('insert', [`${header}${filling}`, ''], stop)).rejects.toThrow('The server stops.');
    await stopped;
    expect(await numbers()).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  });
});

describe.each(grounds)(
  'What a server has left that was killed, in $engine with $cacheBytes bytes of cache,',
  (ground) => {
    it('goes at its next start, unless another server may still use it', async () => {
      const tested = await openTestStore(ground);
      await tested.store().createTable(account, 'Orders');
      const begun: KeptId = { kind: 'import', id: '0123456789abcdef' };
      await tested.store().snapshots.kept.begin(begun, [account], undefined);
      await tested.reopen();
      const state = new State(tested.store(), new Accounts([{ name: account, keys: ['a2V5'] }]), () => {});
      await state.resume();
      const isShared = ground.engine === 'postgres';
      expect(await tested.store().snapshots.kept.list('import')).toHaveLength(isShared ? 1 : 0);
      expect(await state.listSnapshots()).toEqual([]);
      await state.stop();
      await tested.dispose();
    });
  },
);
