import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { type PoolMode, startPgbouncer, whyNoPgbouncer } from '../../support/postgres/pgbouncer.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { account, commit, insert, keyAt, rowsOf } from '../../support/store/store-changes.js';

describe.skipIf(!clusterDatabase || whyNoPgbouncer !== '')(`PgBouncer before the database${whyNoPgbouncer}`, () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.remove());

  async function poolerOf(mode: PoolMode, more?: string): Promise<string> {
    const { url, program } = await startPgbouncer(cluster, mode, more);
    onTestFinished(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return url;
  }

  const open = (url: string, schema: string) =>
    openStore({ engine: 'postgres', url, schema, connections: 10 }, { clock: createClock(), cacheBytes: 0 });

  it.each([
    ['', 'as it is installed'],
    ['ignore_startup_parameters = options', 'that ignores options'],
    ['server_reset_query =', 'that leaves sessions as they were'],
  ])('serves two installations in session mode, each in its own schema (%s)', async (more) => {
    const url = await poolerOf('session', more);
    for (const round of [1, 2]) {
      for (const schema of ['one', 'other']) {
        const store = await open(url, schema);
        if (round === 1) await store.createTable(account, 'Table');
        await commit(store, 'Table', insert(keyAt(`${schema}-${round}`)));
        const expected = [1, 2].slice(0, round).map((at) => `p/${schema}-${at}`);
        expect(await rowsOf(store, 'Table')).toEqual(expected);
        await store.close();
      }
    }
    const elsewhere = await cluster.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    expect(elsewhere).toEqual([]);
    await cluster.query('DROP SCHEMA one CASCADE; DROP SCHEMA other CASCADE');
  });

  it.each([
    ['transaction', ''],
    ['transaction', 'ignore_startup_parameters = options'],
    ['transaction', 'server_round_robin = 1'],
    ['statement', ''],
  ] as const)('is rejected in %s mode (%s), with the setting to change', async (mode, more) => {
    const opening = open(await poolerOf(mode, more), 'pooled');
    await expect(opening).rejects.toMatchObject({
      name: 'StoreError',
      remedy: expect.stringContaining('pool_mode = session'),
    });
  });

  it('is rejected if it has too few connections, with the setting to change', async () => {
    const opening = open(await poolerOf('session', 'default_pool_size = 1'), 'pooled');
    await expect(opening).rejects.toMatchObject({
      name: 'StoreError',
      remedy: expect.stringContaining('default_pool_size'),
    });
  });
});
