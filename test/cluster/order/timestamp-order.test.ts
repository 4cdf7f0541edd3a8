import { describe, expect, it } from 'vitest';
import { etagOf } from '../../../src/entity/stored/entity.js';
import { ticksOfEtag } from '../../../src/store/postgres/schema/stamps.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { account, insert, keyAt, remove } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? '';

/** Rounds: in each, a lone insert is followed by a large transaction of another writer. */
const rounds = 20;

/** With this many connections, nine of a server write. */
const connections = 90;

/** Rows of a large transaction: the most that one statement writes. */
const largest = 1000;

/** Inserts rows into one partition. Returns their Timestamps in order. Unit: 100 ns. */
async function insertRows(store: Store | undefined, partition: string, rows: number): Promise<readonly bigint[]> {
  const changes = Array.from({ length: rows }, (_, at) => insert(keyAt(String(at), partition)));
  const outcome = await store?.openTable(account, 'Table').commit(changes);
  if (!outcome || isRejection(outcome)) throw new Error('The rows were not inserted.');
  return outcome.map((text) => BigInt((text && ticksOfEtag(etagOf(text))) ?? 0)).sort((a, b) => (a < b ? -1 : 1));
}

describe.skipIf(!clusterDatabase)('Timestamps of writes that follow each other', () => {
  it.each([
    ['two servers', 2],
    ['two connections of one server', 1],
  ])('grow, although %s made them', async (_who, servers) => {
    const cluster = await openCluster(
      Array.from({ length: servers }, () => url),
      url,
      connections,
    );
    const [first, other = first] = cluster.stores;
    await first?.createTable(account, 'Table');
    let backwards = 0;
    let last = 0n;
    for (let round = 0; round < rounds; round++) {
      // Partitions of one server are spread over its connections.
      for (const [store, partition, rows] of [
        [first, `lone-${round}`, 1],
        [other, `large-${round}`, largest],
        [first, `next-${round}`, 1],
      ] as const) {
        const stamps = await insertRows(store, partition, rows);
        if ((stamps[0] ?? 0n) <= last) backwards++;
        last = stamps.at(-1) ?? 0n;
      }
    }
    await cluster.dispose();
    expect(backwards).toBe(0);
  });

  it('grow for an entity that one server deletes and another one inserts again', async () => {
    const cluster = await openCluster([url, url], url, connections);
    const [first, other] = cluster.stores;
    await first?.createTable(account, 'Table');
    for (let round = 0; round < rounds; round++) {
      const partition = `p-${round}`;
      const [before = 0n] = await insertRows(first, partition, 1);
      await first?.openTable(account, 'Table').commit([remove(keyAt('0', partition))]);
      const [after = 0n] = await insertRows(other, partition, largest);
      expect(after).toBeGreaterThan(before);
    }
    await cluster.dispose();
  });
});
