import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { clientOf, type SharedServers, shareDatabase } from '../../support/servers/shared-servers.js';

describe.skipIf(!clusterDatabase)('a server that gets less from its database than it needs', () => {
  let cluster: PostgresCluster;
  let shared: SharedServers;
  let server: RunningServer;
  let other: pg.Client;
  beforeEach(async () => {
    cluster = await PostgresCluster.start();
    shared = shareDatabase();
    server = await shared.start({}, cluster.url);
    other = new pg.Client({ connectionString: cluster.url });
    await other.connect();
    await clientOf(server).post('/Tables', { TableName: 'Table' });
  });
  afterEach(async () => {
    await other.end();
    await shared.dispose();
    await cluster.remove();
  });

  const row = "/Table(PartitionKey='p',RowKey='r')";
  const ready = async () => {
    const response = await fetch(`${server.url}/_tabularium/health`);
    return [response.status, ((await response.json()) as { status: string }).status];
  };
  /** Waits for an answer: a check has two seconds, and connections are tried again behind it. */
  const becomes = (status: number, reason: string) => expect.poll(ready, { timeout: 30_000 }).toEqual([status, reason]);

  it('is not ready, with the reason, while it gets too few connections, and is ready when it gets them', async () => {
    await becomes(200, 'ready');
    // Superusers are not limited, and the sessions that there are stay.
    await other.query('CREATE ROLE own SUPERUSER; ALTER DATABASE tabularium OWNER TO own');
    await other.query('SET ROLE own; ALTER ROLE tabularium NOSUPERUSER CONNECTION LIMIT 1');
    expect((await clientOf(server).put(row, { V: 1 })).status).toBe(503);
    await becomes(503, 'too-few-connections');

    await other.query('ALTER ROLE tabularium SUPERUSER CONNECTION LIMIT -1; RESET ROLE');
    await becomes(200, 'ready');
    expect((await clientOf(server).put(row, { V: 2 })).status).toBe(204);
  }, 120_000);

  it('is not ready, with the reason, while the disk of the database is full, and is ready when it has space', async () => {
    await other.query(`SET search_path TO ${shared.schema};
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END$$;
      CREATE TRIGGER full_disk BEFORE INSERT ON entities EXECUTE FUNCTION full_disk();
      CREATE TRIGGER full_disk BEFORE INSERT ON writers EXECUTE FUNCTION full_disk()`);
    await becomes(200, 'ready');
    await clientOf(server).post('/Tables', { TableName: 'Other' });
    expect((await clientOf(server).put(row, { V: 1 })).status).toBe(503);
    await becomes(503, 'disk-full');

    await other.query('DROP TRIGGER full_disk ON entities; DROP TRIGGER full_disk ON writers');
    await becomes(200, 'ready');
    expect((await clientOf(server).put(row, { V: 2 })).status).toBe(204);
  }, 120_000);
});
