import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig, defaultDatabase } from '../../../src/config.js';
import { startServer } from '../../../src/server.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';

describe.skipIf(!clusterDatabase)('a lock that another session holds on the tables', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.remove());

  it.each([
    ['LOCK TABLE tabularium.entities IN ACCESS EXCLUSIVE MODE', 'keeps readers and writers waiting'],
    ['LOCK TABLE tabularium.entities IN SHARE MODE', 'keeps writers waiting, as CREATE INDEX does'],
    [
      'LOCK TABLE tabularium.tables IN EXCLUSIVE MODE',
      'keeps writers waiting, since they keep their table from being dropped',
    ],
  ])('%s: the server says that it is not ready, and why', async (lock) => {
    const database = { ...defaultDatabase, url: cluster.url };
    const server = await startServer({ ...defaultConfig, port: 0, silent: true, database });
    const ready = async () => {
      const response = await fetch(`${server.url}/_tabularium/health`);
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([200, { status: 'ready' }]);

    const other = new pg.Client({ connectionString: cluster.url });
    await other.connect();
    await other.query(`BEGIN; ${lock}`);
    expect(await ready()).toEqual([503, { status: 'tables-locked' }]);
    await other.query('ROLLBACK');
    expect(await ready()).toEqual([200, { status: 'ready' }]);

    await other.end();
    await server.close();
  });
});
