import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../src/query/parse-filter.js';
import type { QueryPlan } from '../../../../src/query/plan.js';
import { planQuery } from '../../../../src/query/plan-query.js';
import { isRefusal, type TableStore } from '../../../../src/store/store.js';
import { interceptBatches } from '../../../support/intercept-batches.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../support/open-level-on.js';
import { account, commit, insert, keyAt, numberOf, readEntity, replace } from '../../../support/store-changes.js';

describe.each(levelGrounds)(
  'while the engine has written a transaction that is not yet acknowledged, in %s,',
  (ground) => {
    let tested: LevelUnderTest;
    let store: TableStore;
    let goOn: () => void;
    let written: Promise<unknown>;
    beforeEach(async () => {
      tested = await openLevelOn(ground, undefined, { cacheBytes: 1_000_000 });
      store = tested.store();
      await store.createTable(account, 'Table');
      await commit(store, 'Table', ...['a', 'b', 'c'].map((row) => insert(keyAt(row), 1)));
      // Only the first row is cached.
      expect(await numbersOf("RowKey le 'a'")).toEqual([1]);
      let reached = () => {};
      const engineHasWritten = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const told = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const restore = interceptBatches(tested.engine, async (write) => {
        restore();
        await write();
        reached();
        await told;
      });
      written = commit(store, 'Table', ...['a', 'b', 'c'].map((row) => replace(keyAt(row), 2)));
      await engineHasWritten;
    });
    afterEach(async () => {
      goOn();
      await tested.dispose();
    });

    const numberAt = async (row: string) => numberOf(await readEntity(store, 'Table', keyAt(row)));

    async function numbersOf(filter: string, options: Partial<QueryPlan> = {}) {
      const page = await store.openTable(account, 'Table').readPage({
        ...planQuery(parseFilter(`PartitionKey eq 'p' and (${filter})`), { rowsMax: 10 }),
        ...options,
      });
      if (isRefusal(page)) throw new Error(page.reason);
      return page.rows.map(numberOf);
    }

    it('a row that is cached is read at once, without the transaction', async () => {
      expect(await numberAt('a')).toBe(1);
    });

    it('a row that is not cached is read after the transaction, even if another transaction follows at once', async () => {
      const reads = Promise.all(['b', 'c'].map(numberAt));
      const next = commit(store, 'Table', ...['b', 'c'].map((row) => replace(keyAt(row), 3)));
      goOn();
      expect(await reads).toEqual([2, 2]);
      await Promise.all([written, next]);
      expect(await Promise.all(['a', 'b', 'c'].map(numberAt))).toEqual([2, 3, 3]);
    });

    it.each([
      ['an uncached page', "RowKey ge 'b'", [2, 2]],
      ['a page of a cached and an uncached range', "RowKey le 'a' or RowKey eq 'c'", [2, 2]],
      ['a page with a filter', 'N gt 0', [2, 2, 2]],
    ])('%s shows the state after the transaction, in all of its rows', async (_, filter, numbers) => {
      const page = numbersOf(filter);
      const next = commit(store, 'Table', ...['a', 'b', 'c'].map((row) => replace(keyAt(row), 3)));
      goOn();
      expect(await page).toEqual(numbers);
      await Promise.all([written, next]);
      // The rows read before may be cached now. They must be current.
      expect(await numbersOf(filter)).toEqual(numbers.map(() => 3));
    });

    it('a cached page is read at once, without the transaction', async () => {
      expect(await numbersOf("RowKey le 'a'")).toEqual([1]);
      goOn();
      await written;
      expect(await numbersOf("RowKey le 'a'")).toEqual([2]);
    });
  },
);

describe.each(levelGrounds)('while a transaction is being written that will fail, in %s,', (ground) => {
  it('reads wait for it and show the state before it', async () => {
    const tested = await openLevelOn(ground, undefined, { cacheBytes: 1_000_000 });
    try {
      const store = tested.store();
      await store.createTable(account, 'Table');
      await commit(store, 'Table', insert(keyAt('a'), 1));
      let fail = () => {};
      const restore = interceptBatches(tested.engine, async () => {
        restore();
        await new Promise<void>((resolve) => {
          fail = resolve;
        });
        throw new Error('no space left');
      });
      const refused = expect(commit(store, 'Table', replace(keyAt('a'), 2))).rejects.toThrow('no space left');
      await new Promise(setImmediate);
      const entity = readEntity(store, 'Table', keyAt('a'));
      const page = store.openTable(account, 'Table').readPage(planQuery(undefined, { rowsMax: 10 }));
      fail();
      await refused;
      expect(numberOf(await entity)).toBe(1);
      const read = await page;
      expect(isRefusal(read) || read.rows.map(numberOf)).toEqual([1]);
    } finally {
      await tested.dispose();
    }
  });
});
