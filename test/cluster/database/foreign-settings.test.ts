import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { account, commit, insert, keyAt, numberOf, replace, rowsOf } from '../../support/store/store-changes.js';

/** Values that another program could have set for the user of the database, each of which breaks some statement. */
const foreign: Readonly<Record<string, string>> = {
  search_path: 'public',
  client_min_messages: 'error',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  lock_timeout: '1ms',
  statement_timeout: '50ms',
  idle_session_timeout: '200ms',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: '-15',
  array_nulls: 'off',
  client_encoding: 'LATIN1',
  enable_nestloop: 'off',
  enable_indexscan: 'off',
  plan_cache_mode: 'force_custom_plan',
};

describe.skipIf(!clusterDatabase)('settings of the database that the server does not share', () => {
  let cluster: PostgresCluster;
  let stores: Store[];
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    for (const [name, value] of Object.entries(foreign)) {
      await cluster.query(`ALTER DATABASE tabularium SET ${name} = '${value}'`);
    }
    const place = { engine: 'postgres', url: cluster.url, schema: 'back\\slash "quoted"', connections: 20 } as const;
    const open = () => openStore(place, { clock: createClock(), cacheBytes: 0 });
    stores = [await open(), await open()];
    await stores[0]?.createTable(account, 'Table');
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await cluster.remove();
  });

  it('do not reach its sessions', async () => {
    const [store] = stores as [Store];
    const view = new pg.Client({ connectionString: cluster.url });
    await view.connect();
    // What a session has that sets nothing itself.
    const { rows } = await view.query('SHOW search_path');
    expect(rows).toEqual([{ search_path: 'public' }]);
    await view.end();
    await commit(store, 'Table', insert(keyAt("it's \\ é"), 7));
    const text = await store.openTable(account, 'Table').readEntity(keyAt("it's \\ é"));
    expect(isRejection(text) || numberOf(text)).toBe(7);
    await store.snapshots.take('before', [account]);
    expect((await store.snapshots?.list())?.map(({ name }) => name)).toEqual(['before']);
  });

  it('let no request of many rivals fail', async () => {
    const writers = stores.flatMap((store) => [0, 1, 2, 3].map((at) => ({ store, at })));
    const work = writers.map(async ({ store, at }) => {
      for (let round = 0; round < 40; round++) {
        const key = keyAt(String((round + at) % 3), 'shared');
        const outcome = await store.openTable(account, 'Table').commit([replace(key, round)]);
        expect(isRejection(outcome)).toBe(false);
        await rowsOf(store, 'Table');
      }
    });
    await Promise.all(work);
  });
});
