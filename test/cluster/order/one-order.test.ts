import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../support/arbitrary/random.js';
import { expectOneOrder, scripts } from '../../support/arbitrary/table-history.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { CuttingProxy } from '../../support/servers/cutting-proxy.js';
import { account } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? '';

/** Number of histories of each kind. `npm run test:long -- cluster` uses more. */
const histories = Number(process.env['TABULARIUM_HISTORIES'] ?? 150);
const cutHistories = Number(process.env['TABULARIUM_CUT_HISTORIES'] ?? 50);
const seed = 20_261_122;

describe.skipIf(!clusterDatabase)('three servers on one database', () => {
  it.each([
    { kind: 'that read and write', withDrops: false },
    { kind: 'that also create and drop the table', withDrops: true },
  ])(
    '$kind act as one: all answers fit one order of whole operations',
    { timeout: 600_000 + histories * 300 },
    async ({ withDrops }) => {
      const cluster = await openCluster([url, url, url]);
      try {
        let tables = 0;
        await fc.assert(
          fc.asyncProperty(scripts(withDrops), async (all) => {
            const table = `Table${tables++}`;
            await cluster.stores[0]?.createTable(account, table);
            await expectOneOrder(cluster.stores, table, all);
            await cluster.stores[0]?.deleteTable(account, table);
          }),
          { numRuns: histories },
        );
        for (const store of cluster.stores) await store.swept();
        expect(cluster.reports).toEqual([]);
      } finally {
        await cluster.dispose();
      }
    },
  );

  it('act as one when connections are cut at random, on requests and on answers, and no operation fails', {
    timeout: 600_000 + cutHistories * 600,
  }, async () => {
    const proxy = await CuttingProxy.start(
      Number(new URL(url).port),
      { request: 0.01, answer: 0.03 },
      randomFrom(seed),
    );
    const cutUrl = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
    const cluster = await openCluster([cutUrl, cutUrl, cutUrl, url], url);
    try {
      const [one, two, three, plain] = cluster.stores;
      if (!one || !two || !three || !plain) throw new Error('four stores were opened');
      let tables = 0;
      await fc.assert(
        fc.asyncProperty(scripts(true), async (all) => {
          const table = `Table${tables++}`;
          await plain.createTable(account, table);
          await expectOneOrder([one, two, three], table, all);
          await plain.deleteTable(account, table);
        }),
        { numRuns: cutHistories },
      );
      process.stdout.write(`${cutHistories} histories, ${proxy.cuts} cut connections\n`);
      expect(proxy.cuts).toBeGreaterThan(cutHistories / 10);
    } finally {
      await cluster.dispose();
      await proxy.stop();
    }
  });
});
