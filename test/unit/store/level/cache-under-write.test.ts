import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../src/query/parse-filter.js';
import type { QueryPlan } from '../../../../src/query/plan.js';
import { planQuery } from '../../../../src/query/plan-query.js';
import { isRefusal, type TableStore } from '../../../../src/store/store.js';
import { interceptBatches } from '../../../support/intercept-batches.js';
import { grounds, openStoreOn, type StoreUnderTest } from '../../../support/open-store-on.js';
import { account, commit, insert, keyAt, numberOf, readEntity, replace } from '../../../support/store-changes.js';

describe.each(grounds)('while the engine has written a transaction that is not yet acknowledged, in %s,', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  let goOn: () => void;
  let written: Promise<unknown>;
  beforeEach(async () => {
    tested = await openStoreOn(ground, undefined, { cacheBytes: 1_000_000 });
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

  it('reads of one row agree, cached or not', async () => {
    const before = await Promise.all(['a', 'b', 'c'].map(numberAt));
    expect(new Set(before).size).toBe(1);
    goOn();
    await written;
    expect(await Promise.all(['a', 'b', 'c'].map(numberAt))).toEqual([2, 2, 2]);
  });

  it.each([
    ['a cached page', "RowKey le 'a'", 1],
    ['an uncached page', "RowKey ge 'b'", 2],
    ['a page of two ranges', "RowKey le 'a' or RowKey eq 'c'", 2],
    ['a page with a filter', 'N gt 0', 3],
  ])('%s agrees with reads of one row, at first and on the next page', async (_, filter, count) => {
    const one = await numberAt('b');
    expect(await numbersOf(filter)).toEqual(Array(count).fill(one));
    // The rows read before may be cached now. They must still agree.
    expect([await numberAt('a'), await numberAt('b'), await numberAt('c')]).toEqual([one, one, one]);
    goOn();
    await written;
    expect(await numbersOf(filter)).toEqual(Array(count).fill(2));
    expect([await numberAt('a'), await numberAt('b'), await numberAt('c')]).toEqual([2, 2, 2]);
  });

  it('a page that began before the acknowledgement shows one state only', async () => {
    const page = numbersOf("RowKey le 'a' or RowKey eq 'c'");
    const filtered = numbersOf('N gt 0');
    const one = await numberAt('b');
    goOn();
    await written;
    expect(await page).toEqual([one, one]);
    expect(await filtered).toEqual([one, one, one]);
    expect(await numbersOf('N gt 0')).toEqual([2, 2, 2]);
  });
});
