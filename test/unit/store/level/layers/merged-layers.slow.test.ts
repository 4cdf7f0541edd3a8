import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import { keyOf } from '../../../../../src/entity/stored/write-row.js';
import { isRejection } from '../../../../../src/store/store.js';
import { copyAccount } from '../../../../support/store/copy-account.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  remove,
  replace,
  rowsOf,
} from '../../../../support/store/store-changes.js';

describe.each(levelGrounds)('layers that only one table has left, in %s', (ground) => {
  let tested: LevelUnderTest;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    await tested.store().createTable(account, 'Table');
    await commit(tested.store(), 'Table', ...['a', 'b', 'c'].map((row) => insert(keyAt(row))));
  });
  afterEach(() => tested.dispose());

  const recordOf = async (table = 'Table') => {
    const [key = ''] = (await tested.storedKeys('table\u0000')).filter((one) => one.endsWith(table.toLowerCase()));
    return JSON.parse(tested.engine.getSync(key) ?? '{}') as object;
  };
  const rowKeysIn = async (owner: string) => {
    const page = await tested
      .store()
      .openTable(owner, 'Table')
      .readPage({ ranges: [{}], rowsMax: 20 });
    return isRejection(page) ? page.reason : page.rows.map((text) => keyOf(text, 'RowKey'));
  };
  const plain = ['name', 'created', 'id'];
  const stored = () => tested.storedKeys('entity\u0000');

  it('are merged when the snapshots end, so that the table is plain and no dead record stays', async () => {
    const { snapshots } = tested.store();
    for (const name of ['one', 'two', 'three']) {
      await snapshots.take(name, [account]);
      await commit(tested.store(), 'Table', remove(keyAt('a')), insert(keyAt(name)));
      await commit(tested.store(), 'Table', insert(keyAt('a'), 7), remove(keyAt('b')), insert(keyAt('b'), 8));
    }
    await commit(tested.store(), 'Table', remove(keyAt('c')));
    for (const name of ['two', 'three', 'one']) {
      await snapshots.delete(name);
      expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b', 'p/one', 'p/three', 'p/two']);
      await tested.store().swept();
      expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b', 'p/one', 'p/three', 'p/two']);
    }
    expect(Object.keys(await recordOf())).toEqual(plain);
    expect(await stored()).toHaveLength(5);
    expect(await tested.storedKeys('dropped')).toEqual([]);
    expect(tested.reports).toEqual([]);
  });

  it('are not made by a snapshot that ends before a write', async () => {
    const before = await stored();
    const { snapshots } = tested.store();
    await snapshots.take('one', [account]);
    await snapshots.delete('one');
    await tested.store().swept();
    expect(Object.keys(await recordOf())).toEqual(plain);
    expect(await stored()).toEqual(before);
  });

  it('are merged while the table is written to', async () => {
    const store = tested.store();
    await store.snapshots.take('one', [account]);
    const rows = Array.from({ length: 3000 }, (_, at) => keyAt(`r${String(at).padStart(4, '0')}`));
    for (let at = 0; at < rows.length; at += 100) {
      await commit(store, 'Table', ...rows.slice(at, at + 100).map((key) => insert(key)));
    }
    await store.snapshots.delete('one');
    let isMerged = false;
    const merged = store.swept().then(() => {
      isMerged = true;
    });
    let writes = 0;
    for (; !isMerged || writes < 50; writes++) {
      const key = rows[(writes * 37) % rows.length] ?? keyAt('');
      await commit(store, 'Table', writes % 3 === 0 ? remove(key, '*') : replace(key, writes)).catch(() => {});
      if (writes % 10 === 0) await nextTurn();
    }
    await merged;
    const expected = await rowsOf(store, 'Table');
    await store.swept();
    expect(Object.keys(await recordOf())).toEqual(plain);
    expect(await rowsOf(store, 'Table')).toEqual(expected);
    expect(await stored()).toHaveLength(expected.length);
    expect(tested.reports).toEqual([]);
  });

  it('are merged below snapshots that have both, and stay where one has the lower alone', async () => {
    const store = tested.store();
    const { snapshots } = store;
    await snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('a')));
    await snapshots.take('two', [account]);
    await commit(store, 'Table', insert(keyAt('d')));
    await snapshots.take('three', [account]);
    await snapshots.delete('two');
    await store.swept();
    expect(await recordOf()).toMatchObject({ layers: { length: 1 } });
    for (const [name, rows] of [
      ['one', ['p/a', 'p/b', 'p/c']],
      ['three', ['p/b', 'p/c', 'p/d']],
    ] as const) {
      await snapshots.exchange({ restored: { snapshot: name, accounts: [{ from: account, to: account }] } });
      expect(await rowsOf(store, 'Table')).toEqual(rows);
    }
  });

  it('are at most three while undo keeps five states, of which each stays as it was', async () => {
    const store = tested.store();
    const { kept } = store.snapshots;
    const id = (number: number) => ({ kind: 'undo', id: String(number) }) as const;
    for (let number = 1; number <= 9; number++) {
      await kept.begin(id(number), [account], undefined);
      await commit(store, 'Table', remove(keyAt('b')), replace(keyAt('a'), number));
      await commit(store, 'Table', insert(keyAt('b'), number), insert(keyAt(`r${number}`)));
      if (number > 5) await kept.drop(id(number - 5));
      await store.swept();
    }
    const { layers } = (await recordOf()) as { layers: unknown[] };
    expect(layers.length).toBeLessThanOrEqual(3);
    expect(await rowKeysIn(account)).toEqual(['a', 'b', 'c', ...Array.from({ length: 9 }, (_, at) => `r${at + 1}`)]);
    for (let number = 5; number <= 9; number++) {
      await store.snapshots.exchange({
        restored: { snapshot: id(number), accounts: [{ from: account, to: account }] },
      });
      const page = await store.openTable(account, 'Table').readPage({ ranges: [{}], rowsMax: 20 });
      const rows = isRejection(page) ? [] : page.rows;
      expect(rows).toHaveLength(3 + number - 1);
      expect(rows.slice(0, 2).map(numberOf)).toEqual([number - 1, number - 1]);
    }
    expect(tested.reports).toEqual([]);
  });

  it('are merged in the order of insertion, too', async () => {
    const store = tested.store();
    await store.openAccount('cosmos', cosmosTraits);
    await store.createTable('cosmos', 'Table');
    const write = (...changes: Parameters<typeof commit>[2][]) => store.openTable('cosmos', 'Table').commit(changes);
    await write(insert(keyAt('z')), insert(keyAt('y')), insert(keyAt('x')));
    await store.snapshots.take('one', ['cosmos']);
    await write(remove(keyAt('z')), insert(keyAt('a')));
    await write(insert(keyAt('z')));
    await store.snapshots.delete('one');
    await store.swept();
    expect(await rowKeysIn('cosmos')).toEqual(['y', 'x', 'a', 'z']);
    // Each entity has its record and two of the orders.
    expect((await stored()).filter((key) => key.includes('cosmos'))).toHaveLength(4 * 3);
  });

  it('are merged in an account that was not opened since a start, whose table names are exact', async () => {
    const store = tested.store();
    await store.openAccount('cosmos', cosmosTraits);
    await store.createTable('cosmos', 'Table');
    await store.snapshots.take('one', ['cosmos']);
    await store.openTable('cosmos', 'Table').commit([insert(keyAt('a'))]);
    const deleted = store.snapshots.delete('one');
    // Closed before the layers are merged.
    await Promise.all([deleted, tested.reopen()]);
    expect((await tested.storedKeys('table')).filter((key) => key.includes('cosmos'))).toEqual([
      'table\u0000cosmos\u0000Table',
    ]);
    await tested.store().openAccount('cosmos', cosmosTraits);
    expect(await rowKeysIn('cosmos')).toEqual(['a']);
  });

  it('stay with a table that was restored into another account, whose own account is gone', async () => {
    const store = tested.store();
    await copyAccount(store.snapshots, account, 'other');
    await commit(store, 'Table', insert(keyAt('d')));
    await store.reset(account);
    await store.openTable('other', 'Table').commit([remove(keyAt('a'))]);
    await store.swept();
    expect(await rowKeysIn('other')).toEqual(['b', 'c']);
    expect(await stored()).toHaveLength(2);
    await tested.reopen();
    expect(await tested.store().openTable('other', 'Table').readEntity(keyAt('a'))).toBeUndefined();
    await tested.store().reset('other');
    expect(await stored()).toEqual([]);
  });

  it('are merged below a view that has them, which shows what it did and keeps what nobody else has', async () => {
    const store = tested.store();
    await store.snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('a')), insert(keyAt('d')));
    await store.snapshots.take('two', [account]);
    await commit(store, 'Table', insert(keyAt('e')));
    const view = await store.openView(() => true);
    await store.snapshots.delete('one');
    await store.swept();
    expect(await recordOf()).toMatchObject({ layers: [{ account }] });
    expect(await rowsOf(store, 'Table')).toEqual(['p/b', 'p/c', 'p/d', 'p/e']);

    await store.deleteTable(account, 'Table');
    await store.snapshots.delete('two');
    await store.swept();
    const texts: string[] = [];
    for await (const part of view.read()) if (part.kind === 'entities') texts.push(...part.texts);
    expect(texts.map((text) => keyOf(text, 'RowKey'))).toEqual(['b', 'c', 'd', 'e']);
    await view.close();
    await store.swept();
    expect(await stored()).toEqual([]);
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });

  it('do not change for a view that is being read, which keeps dropped rows', async () => {
    const store = tested.store();
    const view = await store.openView(() => true);
    await commit(store, 'Table', remove(keyAt('a')), insert(keyAt('d')));
    await store.snapshots.take('one', [account]);
    await commit(store, 'Table', remove(keyAt('b')));
    await store.snapshots.delete('one');
    await store.deleteTable(account, 'Table');
    await store.swept();
    const texts: string[] = [];
    for await (const part of view.read()) if (part.kind === 'entities') texts.push(...part.texts);
    expect(texts.map((text) => keyOf(text, 'RowKey'))).toEqual(['a', 'b', 'c']);
    await view.close();
    await store.swept();
    expect(await stored()).toEqual([]);
    expect(await tested.storedKeys('dropped')).toEqual([]);
  });
});
