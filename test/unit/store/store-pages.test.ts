import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../src/entity/stored/entity.js';
import { pageBytesMax } from '../../../src/protocol/limits.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { compareCuts, mergeRanges, startRangesAt } from '../../../src/query/plan/key-ranges.js';
import type { KeyCut, KeyRange, QueryPlan } from '../../../src/query/plan/plan.js';
import { planQuery } from '../../../src/query/plan/plan-query.js';
import { Abandoned, isRejection, type TableStore } from '../../../src/store/store.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numbered,
  numberOf,
  readEntity,
  rowsOf,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

/** Keys for which code unit order and UTF-8 order differ, and keys that are prefixes of others. */
const text = fc.constantFrom('', 'a', 'a!', 'aa', 'b', '\ud800', '\u{10000}', '\ue000', '\uffff');
const key: fc.Arbitrary<EntityKey> = fc.record({ partitionKey: text, rowKey: text });
const side = fc.constantFrom('before' as const, 'after' as const);
const cut: fc.Arbitrary<KeyCut> = fc.oneof(
  fc.record({ partitionKey: text, side }),
  fc.record({ partitionKey: text, rowKey: text, side }),
);
const range: fc.Arbitrary<KeyRange> = fc
  .record({ from: cut, to: cut }, { requiredKeys: [] })
  .filter(({ from, to }) => !from || !to || compareCuts(from, to) < 0);
const ranges = fc.array(range, { maxLength: 4 }).map(mergeRanges);

const byKeys = (a: EntityKey, b: EntityKey) => compareCuts({ ...a, side: 'before' }, { ...b, side: 'before' });

/** Checks whether the range contains the row. */
function holds({ from, to }: KeyRange, row: EntityKey): boolean {
  const here: KeyCut = { ...row, side: 'before' };
  return (!from || compareCuts(from, here) <= 0) && (!to || compareCuts(here, to) < 0);
}

/** Returns a plan that reads these ranges and keeps the rows of a filter. An empty filter keeps all rows. */
function planOf(filter: string, rowsMax: number, within: readonly KeyRange[] = [{}]): QueryPlan {
  return { ...planQuery(parseFilter(filter), { rowsMax }), ranges: within };
}

/** Reads all pages of a plan. Returns the numbers of the rows of each page. */
async function walk(store: TableStore, table: string, plan: QueryPlan): Promise<(number | undefined)[][]> {
  const pages: (number | undefined)[][] = [];
  for (let { ranges } = plan; ; ) {
    const page = await store.openTable(account, table).readPage({ ...plan, ranges });
    if (isRejection(page)) throw new Error(`rejected: ${page.reason}`);
    pages.push(page.rows.map(numberOf));
    if (!page.next) return pages;
    ranges = startRangesAt(ranges, page.next);
  }
}

describe.each(grounds)('pages, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(() => tested.dispose());

  it('contain each matching row once, in key order, in full pages, for any plan and any rows', async () => {
    let tables = 0;
    const rowsMax = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { selector: ({ partitionKey, rowKey }) => `${partitionKey}/${rowKey}`, maxLength: 40 }),
        ranges,
        fc.boolean(),
        rowsMax,
        async (keys, within, filtered, most) => {
          const table = `Table${++tables}`;
          await store.createTable(account, table);
          if (keys.length > 0) await commit(store, table, ...keys.map((one, at) => insert(one, at)));
          const expected = keys
            .map((one, at) => ({ ...one, at }))
            .filter((row) => within.some((one) => holds(one, row)) && (!filtered || row.at < 20))
            .sort(byKeys)
            .map(({ at }) => at);
          const plan = planOf(filtered ? 'N lt 20' : '', most, within);
          const pages = await walk(store, table, plan);
          expect(pages.flat()).toEqual(expected);
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(most);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / most)));
          expect(await walk(store, table, plan), 'read again').toEqual(pages);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('continue at the next match, not at the next row', async () => {
    await commit(store, 'Table', ...Array.from('abcdef', (rowKey, at) => insert(keyAt(rowKey), at)));
    const filter = 'N eq 0 or N eq 4';
    expect(await store.openTable(account, 'Table').readPage(planOf(filter, 1))).toMatchObject({ next: keyAt('e') });
    expect(await store.openTable(account, 'Table').readPage(planOf(filter, 2))).not.toHaveProperty('next');
  });

  it('continue after a deleted key', async () => {
    await commit(store, 'Table', ...Array.from('ac', (rowKey) => insert(keyAt(rowKey))));
    expect(await rowsOf(store, 'Table', { ranges: startRangesAt([{}], keyAt('b')) })).toEqual(['p/c']);
    expect(await rowsOf(store, 'Table', { ranges: startRangesAt([{}], keyAt('', 'q')) })).toEqual([]);
  });

  it('can contain more rows than one read of the engine, with and without a filter', async () => {
    const keys = Array.from({ length: 3500 }, (_, at) => keyAt(String(at).padStart(4, '0')));
    await commit(store, 'Table', ...keys.map((one, at) => insert(one, at)));
    const all = keys.map(({ rowKey }) => Number(rowKey));
    const pages = await walk(store, 'Table', planOf('', 1000));
    expect(pages.map((page) => page.length)).toEqual([1000, 1000, 1000, 500]);
    expect(pages.flat()).toEqual(all);
    const found = await walk(store, 'Table', planOf('N lt 700 or N ge 1700', 1000));
    expect(found.map((page) => page.length)).toEqual([1000, 1000, 500]);
    expect(found.flat()).toEqual(all.filter((at) => at < 700 || at >= 1700));
  });

  it('end before they grow too large, and lose nothing', async () => {
    const json = `"${'x'.repeat(32_000)}"`;
    const large = Array.from({ length: 15 }, (_, at) => {
      return { name: `P${at}`, type: 'Edm.String', json, valueBytes: 64_004 } as const;
    });
    for (let row = 10; row < 50; row++) {
      const properties = [...numbered(row), ...large];
      await commit(store, 'Table', { kind: 'insert', key: keyAt(`r${row}`), properties });
    }
    const rows = Array.from({ length: 40 }, (_, at) => 10 + at);
    const perPage = Math.ceil(pageBytesMax / (15 * json.length + 300));

    for (const filter of ['', 'N ge 0']) {
      expect(await walk(store, 'Table', planOf(filter, 1000))).toEqual([rows.slice(0, perPage), rows.slice(perPage)]);
    }
  });

  it('report how many rows were examined for them, and all pages of a query count each row once', async () => {
    await commit(store, 'Table', ...Array.from('abcdef', (rowKey, at) => insert(keyAt(rowKey), at)));
    const examined = async (plan: QueryPlan) => {
      const page = await store.openTable(account, 'Table').readPage(plan);
      return isRejection(page) ? undefined : page.examined;
    };
    // The second reading finds the rows in the cache, on the ground that has one.
    for (const _reading of ['first', 'second']) {
      expect(await examined(planOf('', 10))).toBe(6);
      expect(await examined(planOf('', 2))).toBe(2);
      expect(await examined(planOf('N eq 0 or N eq 4', 1))).toBe(4);
      expect(await examined(planOf('N eq 9', 10))).toBe(6);
      expect(await examined({ ...planOf('', 10), ranges: [] })).toBe(0);
    }
  });

  it('end after as many bytes as the plan allows, and hold at least one row', async () => {
    await commit(store, 'Table', ...Array.from('abcdef', (rowKey, at) => insert(keyAt(rowKey), at)));
    const rowBytes = (await readEntity(store, 'Table', keyAt('a')))?.length ?? 0;
    const sizes = async (bytesMax: number) => {
      const pages = await walk(store, 'Table', { ...planOf('', 10), bytesMax });
      return pages.map((page) => page.length);
    };
    expect(await sizes(1)).toEqual([1, 1, 1, 1, 1, 1]);
    // Texts differ by a few characters, so the bound lies between one row and two.
    expect(await sizes(1.5 * rowBytes)).toEqual([2, 2, 2]);
    expect(await sizes(100 * rowBytes)).toEqual([6]);
  });

  it('end with an error if their client has disconnected', async () => {
    await commit(store, 'Table', insert(keyAt('a')));
    await expect(store.openTable(account, 'Table').readPage(planOf('', 10), () => true)).rejects.toThrow(Abandoned);
  });
});
