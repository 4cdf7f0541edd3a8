import { setImmediate as otherWork } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isRejection, type Store } from '../../../src/store/store.js';
import { StoreUnavailable } from '../../../src/store/store-unavailable.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { CuttingProxy } from '../../support/servers/cutting-proxy.js';
import { account, insert, keyAt, numberOf, replace } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? '';
const rounds = Number(process.env['TABULARIUM_CUT_SNAPSHOTS'] ?? 20);
const seed = 20_261_122;

/** Calls `ask` until it is answered. The database may be lost more often than a call tries again by itself. */
async function answered<T>(ask: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask(attempt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

describe.skipIf(!clusterDatabase)('snapshots and branches of three servers whose connections are cut at random', () => {
  it('are whole or not there, and so are restores', { timeout: 600_000 + rounds * 10_000 }, async () => {
    const chances = { request: 0, answer: 0 };
    const proxy = await CuttingProxy.start(Number(new URL(url).port), chances, randomFrom(seed));
    const cutUrl = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
    const cluster = await openCluster([cutUrl, cutUrl, cutUrl, url], url);
    // A server whose start is cut says so, and does not start.
    Object.assign(chances, { request: 0.01, answer: 0.02 });
    const observer = new pg.Client({ connectionString: url });
    await observer.connect();
    const [one, two, three, plain] = cluster.stores as [Store, Store, Store, Store];
    const numberAt = async (of: string, table: string, row: string) => {
      const text = await plain.openTable(of, table).readEntity(keyAt(row));
      if (isRejection(text)) throw new Error(`${of}/${table}: ${text.reason}`);
      return numberOf(text) ?? 0;
    };
    /** Checks that an account shows one moment of what the writer does. Returns the number that it had written last. */
    const expectWhole = async (of: string) => {
      const [a, b] = [await numberAt(of, 'First', 'a'), await numberAt(of, 'First', 'b')];
      const c = await numberAt(of, 'Second', 'c');
      expect(b).toBe(a);
      expect(c).toBeLessThanOrEqual(a);
      expect(c).toBeGreaterThanOrEqual(a - 1);
      return a;
    };
    try {
      for (const table of ['First', 'Second', 'Large']) await plain.createTable(account, table);
      await plain.openTable(account, 'Large').commit(Array.from({ length: 500 }, (_, at) => insert(keyAt(`r${at}`))));
      let isOver = false;
      let written = 0;
      const writing = (async () => {
        while (!isOver) {
          await otherWork();
          const both = [replace(keyAt('a'), written + 1), replace(keyAt('b'), written + 1)];
          await one.openTable(account, 'First').commit(both);
          await two.openTable(account, 'Second').commit([replace(keyAt('c'), ++written)]);
        }
      })();
      for (let round = 0; round < rounds; round++) {
        const least = written;
        await answered(() => two.snapshots.take('taken', [account]));
        await answered(() =>
          three.snapshots.exchange({ restored: { snapshot: 'taken', accounts: [{ from: account, to: 'copy' }] } }),
        );
        expect(await expectWhole('copy')).toBeGreaterThanOrEqual(least);
        expect((await plain.listTables('copy')).map(({ name }) => name)).toEqual(['First', 'Large', 'Second']);

        const made: string[] = [];
        await answered((attempt) => {
          made.push(`branch${round}x${attempt}`);
          const branch = { account: made.at(-1) ?? '', from: { account }, key: 'key', expires: 1 };
          return (attempt % 2 === 0 ? one : three).snapshots.branch(branch);
        });
        const listed = (await plain.snapshots.branches()).map((branch) => branch.account);
        expect(listed).toContain(made.at(-1));
        // One whose call failed is there as a whole or not at all.
        for (const name of made) {
          if (listed.includes(name)) await expectWhole(name);
          else expect(await plain.listTables(name)).toEqual([]);
        }
        for (const name of made) await answered(() => two.snapshots.endBranch(name));
        expect(await plain.snapshots.branches()).toEqual([]);
        expect(await plain.listTables(made.at(-1) ?? '')).toEqual([]);
      }
      isOver = true;
      await writing;
      for (const name of ['First', 'Second', 'Large']) await plain.deleteTable(account, name);
      await answered(() => one.snapshots.delete('taken'));
      await answered(async () => one.reset('copy'));
      await plain.swept();
      // Nothing is left of copies that were not committed.
      const { rows } = await observer.query(`SELECT count(*)::int AS left FROM ${cluster.schema}.entities`);
      expect(rows).toEqual([{ left: 0 }]);
      process.stdout.write(`${rounds} rounds, ${written} writes, ${proxy.cuts} cut connections\n`);
      expect(proxy.cuts).toBeGreaterThan(rounds / 4);
    } finally {
      await observer.end();
      await cluster.dispose();
      await proxy.stop();
    }
  });
});
