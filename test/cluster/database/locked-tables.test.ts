import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { clientOf } from '../../support/servers/shared-servers.js';

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
    const database = { schema: 'tabularium', connections: 10, url: cluster.url };
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

  it('that lets reads pass, as CREATE INDEX does, keeps the sweep of dropped tables waiting, and no read behind it', async () => {
    const database = { schema: 'tabularium', connections: 10, url: cluster.url };
    const server = await startServer({ ...defaultConfig, port: 0, silent: true, database });
    const client = clientOf(server);
    for (const TableName of ['Kept', 'Dropped']) await client.post('/Tables', { TableName });
    await client.put("/Kept(PartitionKey='p',RowKey='r')", { V: 1 });
    const opened = async () => {
      const text = await (await fetch(`${server.url}/_tabularium/metrics`)).text();
      return Number(/^tabularium_store_connections_opened_total (\d+)/m.exec(text)?.[1]);
    };
    for (let at = 0; at < 10; at++) await client.get("/Kept(PartitionKey='p',RowKey='r')");

    const other = new pg.Client({ connectionString: cluster.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE tabularium.entities IN SHARE MODE');
    const before = await opened();
    expect((await client.delete("/Tables('Dropped')")).status).toBe(204);
    for (let at = 0; at < 50; at++) {
      expect((await client.get("/Kept(PartitionKey='p',RowKey='r')")).status).toBe(200);
    }
    // A read that has waited too long gives its connection up, and takes a new one.
    expect(await opened()).toBe(before);
    await other.query('ROLLBACK');
    await other.end();
    await server.close();
  });
});
