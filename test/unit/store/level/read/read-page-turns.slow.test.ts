import { setImmediate as otherWork } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../../../src/query/plan/plan-query.js';
import { Abandoned, isRejection, type TableStore } from '../../../../../src/store/store.js';
import { shortenTurns } from '../../../../support/measures/short-turns.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, numberOf, replace } from '../../../../support/store/store-changes.js';

const rows = 8000;

/** A filter with as many different properties as a URL can contain. No row has any of them. */
const manyNames = Array.from({ length: 2000 }, (_, at) => `P${at} eq 1`).join(' or ');

describe.each([
  { from: 'the engine', cacheBytes: 0 },
  { from: 'the cache', cacheBytes: 64 * 1024 * 1024 },
])('a large read from $from', ({ cacheBytes }) => {
  let tested: LevelUnderTest;
  let store: TableStore;
  let restore = () => {};
  beforeEach(async () => {
    tested = await openLevelOn('memory', undefined, { cacheBytes });
    store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', ...Array.from({ length: rows }, (_, at) => insert(keyAt(String(at + 10_000)), at)));
    await numbersOf('Missing eq 1');
  });
  afterEach(async () => {
    restore();
    await tested.dispose();
  });

  async function numbersOf(filter: string, rowsMax = 1000, isGone = () => false) {
    const plan = planQuery(parseFilter(filter), { rowsMax });
    const page = await store.openTable(account, 'Table').readPage(plan, isGone);
    if (isRejection(page)) throw new Error(page.reason);
    return page.rows.map(numberOf);
  }

  /** Returns how many turns other work got during this work. */
  async function roundsDuring(work: Promise<unknown>): Promise<number> {
    let rounds = 0;
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await otherWork();
      rounds++;
    }
    await done;
    return rounds;
  }

  it('gives other work a turn in between', async () => {
    expect(await roundsDuring(numbersOf(manyNames))).toBeGreaterThan(10);
  });

  it('ends soon after its client has disconnected', async () => {
    restore = shortenTurns();
    let asked = 0;
    const isGone = () => ++asked === 5;
    await expect(numbersOf('Missing eq 1', 1000, isGone)).rejects.toThrow(Abandoned);
    expect(asked).toBe(5);
  });

  it('takes turns with other large reads, one for each round of the event loop', async () => {
    restore = shortenTurns();
    let turns = 0;
    const isGone = () => {
      turns++;
      return false;
    };
    const reads = Array.from({ length: 5 }, () => numbersOf(`N lt 100`, 1000, isGone));
    const rounds = await roundsDuring(Promise.all(reads));
    expect(rounds).toBeGreaterThan(turns / 2);
  });

  it('reads one snapshot, even if rows are written between its turns', async () => {
    restore = shortenTurns();
    const first = numbersOf('N lt 3 or N ge 7997');
    await otherWork();
    await commit(store, 'Table', replace(keyAt('10000'), 9000), replace(keyAt(String(rows + 9999)), 9000));
    expect(await first).toEqual([0, 1, 2, 7997, 7998, 7999]);
    expect(await numbersOf('N lt 3 or N ge 7997')).toEqual([9000, 1, 2, 7997, 7998, 9000]);
  });

  it('reads one snapshot of several ranges, even if rows are written between its turns', async () => {
    restore = shortenTurns();
    const filter = `PartitionKey eq '${keyAt('').partitionKey}' and (RowKey eq '10000' or RowKey eq '10005')`;
    const first = numbersOf(filter);
    await commit(store, 'Table', replace(keyAt('10000'), 9000), replace(keyAt('10005'), 9000));
    expect(await first).toEqual([0, 5]);
    expect(await numbersOf(filter)).toEqual([9000, 9000]);
  });

  it('reads one snapshot, even if its table is dropped between its turns', async () => {
    restore = shortenTurns();
    const first = numbersOf('N ge 7998');
    await otherWork();
    await store.deleteTable(account, 'Table');
    await store.createTable(account, 'Table');
    expect(await first).toEqual([7998, 7999]);
    expect(await numbersOf('N ge 0')).toEqual([]);
  });
});
