import { setImmediate as otherWork } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SnapshotStore } from '../../../src/store/snapshots.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { copyAccount } from '../../support/store/copy-account.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, insert, keyAt, numberOf, replace } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const rows = ['a', 'b', 'c', 'd'];
const total = 1000;
const writersCount = 4;
const rounds = 40;

describe.each(grounds)('snapshots under writes, in $engine with $cacheBytes bytes of cache', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  let snapshots: SnapshotStore;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    snapshots = store.snapshots as SnapshotStore;
    for (const name of ['Sums', 'First', 'Second']) await store.createTable(account, name);
    await store.openTable(account, 'Sums').commit(rows.map((row, at) => insert(keyAt(row), at === 0 ? total : 0)));
  });
  afterEach(() => tested.dispose());

  const numberAt = async (of: string, name: string, row: string) => {
    const text = await store.openTable(of, name).readEntity(keyAt(row));
    if (isRejection(text)) throw new Error(text.reason);
    return numberOf(text) ?? 0;
  };

  /** Moves amounts between rows, so that a whole transaction keeps the sum. */
  async function transfer(random: () => number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A store in memory may answer within one turn of the event loop. Requests come from sockets, so they never fill a turn.
      await otherWork();
      const [from, to] = [rows[Math.floor(random() * 4)] ?? '', rows[Math.floor(random() * 4)] ?? ''];
      if (from === to) continue;
      const table = store.openTable(account, 'Sums');
      const [one, other] = [await table.readEntity(keyAt(from)), await table.readEntity(keyAt(to))];
      if (typeof one !== 'string' || typeof other !== 'string') throw new Error('a row is missing');
      const amount = Math.floor(random() * 10);
      const tagOf = (text: string) => (JSON.parse(text) as { 'odata.etag': string })['odata.etag'];
      await table.commit([
        replace(keyAt(from), (numberOf(one) ?? 0) - amount, tagOf(one)),
        replace(keyAt(to), (numberOf(other) ?? 0) + amount, tagOf(other)),
      ]);
    }
  }

  /** Writes each number to one table and, after the answer, to another. */
  async function countUp(writer: number, isOver: () => boolean): Promise<void> {
    for (let number = 1; !isOver(); number++) {
      await otherWork();
      await store.openTable(account, 'First').commit([replace(keyAt(`w${writer}`), number)]);
      await store.openTable(account, 'Second').commit([replace(keyAt(`w${writer}`), number)]);
    }
  }

  it('never have half of a transaction, nor a write without the one before it', async () => {
    let isOver = false;
    const random = randomFrom(7);
    const writing = Array.from({ length: writersCount }, (_, at) => [
      transfer(random, () => isOver),
      countUp(at, () => isOver),
    ]).flat();
    onTestFinished(() => {
      isOver = true;
    });
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < Math.floor(random() * 5); turn++) await otherWork();
      if (round % 2 === 0) await copyAccount(snapshots, account, 'copy');
      else {
        await snapshots.take('one', [account]);
        await snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: 'copy' }] } });
      }
      const numbers = await Promise.all(rows.map((row) => numberAt('copy', 'Sums', row)));
      expect(numbers.reduce((sum, one) => sum + one)).toBe(total);
      for (let writer = 0; writer < writersCount; writer++) {
        const [first, second] = [
          await numberAt('copy', 'First', `w${writer}`),
          await numberAt('copy', 'Second', `w${writer}`),
        ];
        expect([first, first - 1]).toContain(second);
      }
    }
    isOver = true;
    await Promise.all(writing);
    expect(tested.reports).toEqual([]);
    const live = await Promise.all(rows.map((row) => numberAt(account, 'Sums', row)));
    expect(live.reduce((sum, one) => sum + one)).toBe(total);
  });
});
