import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../../../src/query/plan/plan-query.js';
import { isRejection } from '../../../../../src/store/store.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  remove,
  replace,
} from '../../../../support/store/store-changes.js';

/** More changes than the engine gets in one batch. */
const rows = Array.from({ length: 300 }, (_, at) => `r${String(at).padStart(3, '0')}`);

describe.each(levelGrounds)('while the engine has a part of what was committed, in %s,', (ground) => {
  let tested: LevelUnderTest;
  let proceed: () => void;
  let caughtUp: Promise<void>;
  beforeEach(async () => {
    tested = await openLevelOn(ground, undefined, { cacheBytes: 1_000_000 });
    const store = tested.store();
    for (const table of ['Plain', 'Layered']) {
      await store.createTable(account, table);
      await commit(store, table, ...rows.map((row) => insert(keyAt(row), 1)));
    }
    await store.snapshots.take('base', [account], (_, name) => name === 'Layered');
    await store.swept();
    // Only the first rows are cached.
    for (const table of ['Plain', 'Layered']) expect(await numbersOf(table, "RowKey le 'r009'")).toHaveLength(10);
    for (const table of ['Plain', 'Layered']) {
      await commit(store, table, ...rows.slice(1).map((row) => replace(keyAt(row), 2)), remove(keyAt('r000')));
    }
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let reached = () => {};
    const hasPart = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const restore = interceptBatches(tested.engine, async (write) => {
      restore();
      await write();
      reached();
      await held;
    });
    caughtUp = store.swept();
    await hasPart;
  });
  afterEach(async () => {
    proceed();
    await caughtUp;
    await tested.dispose();
  });

  async function numbersOf(table: string, filter: string): Promise<readonly (number | undefined)[]> {
    const plan = planQuery(parseFilter(`PartitionKey eq 'p' and (${filter})`), { rowsMax: 1000 });
    const page = await tested.store().openTable(account, table).readPage(plan);
    if (isRejection(page)) throw new Error(page.reason);
    return page.rows.map(numberOf);
  }

  it.each(['Plain', 'Layered'])('every read shows all of it (%s)', async (table) => {
    for (const row of ['r001', 'r020', 'r299']) {
      expect(numberOf(await readEntity(tested.store(), table, keyAt(row)))).toBe(2);
    }
    expect(await readEntity(tested.store(), table, keyAt('r000'))).toBeUndefined();
    const filters = [
      ["RowKey le 'r009'", 9],
      ["RowKey le 'r004' or RowKey ge 'r290'", 14],
      ['N gt 0', 299],
    ] as const;
    // Pages that need the engine wait until it has the batches.
    const pages = Promise.all(filters.map(([filter]) => numbersOf(table, filter)));
    proceed();
    expect(await pages).toEqual(filters.map(([, length]) => Array.from({ length }, () => 2)));
  });

  it.each(['Plain', 'Layered'])('writes continue, and every read shows them (%s)', async (table) => {
    await commit(tested.store(), table, replace(keyAt('r298'), 3), remove(keyAt('r299')), insert(keyAt('r000'), 3));
    expect(numberOf(await readEntity(tested.store(), table, keyAt('r298')))).toBe(3);
    expect(await readEntity(tested.store(), table, keyAt('r299'))).toBeUndefined();
    const page = numbersOf(table, "RowKey ge 'r298' or RowKey eq 'r000'");
    proceed();
    await caughtUp;
    expect(await page).toEqual([3, 3]);
    await tested.store().swept();
    expect(await numbersOf(table, "RowKey ge 'r298' or RowKey eq 'r000'")).toEqual([3, 3]);
  });
});

describe('while a commit is on its way to the disk', () => {
  it('no read shows it, and after it has failed none ever does', async () => {
    const tested = await openLevelOn('LevelDB, synced', undefined, { cacheBytes: 1_000_000 });
    try {
      const store = tested.store();
      await store.createTable(account, 'Table');
      await commit(store, 'Table', insert(keyAt('a'), 1));
      const read = async () => {
        const page = await store.openTable(account, 'Table').readPage(planQuery(undefined, { rowsMax: 10 }));
        const entity = await readEntity(store, 'Table', keyAt('a'));
        return [numberOf(entity), ...(isRejection(page) ? [] : page.rows.map(numberOf))];
      };
      const { fail } = tested.failNextSync();
      const rejected = expect(commit(store, 'Table', replace(keyAt('a'), 2))).rejects.toThrow('no space left');
      await new Promise(setImmediate);
      expect(await read()).toEqual([1, 1]);
      fail();
      await rejected;
      expect(await read()).toEqual([1, 1]);
      await commit(store, 'Table', insert(keyAt('b'), 1));
      await tested.reopen();
      expect(numberOf(await readEntity(tested.store(), 'Table', keyAt('a')))).toBe(1);
    } finally {
      await tested.dispose();
    }
  });
});
