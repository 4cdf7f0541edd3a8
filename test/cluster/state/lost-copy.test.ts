import { randomInt } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { askVerb } from '../../support/clients/ask-verb.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { clientOf, type SharedServers, shareDatabase } from '../../support/servers/shared-servers.js';

describe.skipIf(!clusterDatabase)('a call that deletes entities, while they are copied to be kept', () => {
  let shared: SharedServers;
  let server: RunningServer;
  let clients: readonly pg.Client[];
  beforeEach(async () => {
    shared = shareDatabase();
    server = await shared.start();
    await clientOf(server).post('/Tables', { TableName: 'Table' });
    await clientOf(server).post('/Table', { PartitionKey: 'p', RowKey: 'a' });
    clients = [1, 2].map(() => new pg.Client({ connectionString: clusterDatabase }));
    await Promise.all(clients.map((client) => client.connect()));
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await shared.dispose();
  });

  it('and the connection is lost, does not say that it can be undone', async () => {
    const [holder, other] = clients as [pg.Client, pg.Client];
    const snapshots = `${shared.schema}.snapshots`;
    await holder.query('BEGIN');
    await holder.query(`LOCK TABLE ${snapshots} IN ACCESS EXCLUSIVE MODE`);
    const body = { table: 'Table', filter: "RowKey eq 'a'" };
    const deleting = askVerb(server, 'entity delete', body).catch(() => ({}));
    // It has copied the entity.
    const waiting = `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE backend_xid IS NOT NULL AND NOT granted AND relation = '${snapshots}'::regclass`;
    const pid = await vi.waitUntil(async () => (await other.query(waiting)).rows[0]?.pid, { timeout: 30_000 });
    const entity = "/Table(PartitionKey='p',RowKey='a')";
    await vi.waitUntil(async () => (await clientOf(server).get(entity)).status === 404, { timeout: 30_000 });
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await holder.query('ROLLBACK');
    expect(await deleting).not.toHaveProperty('undo');
    expect(await askVerb(server, 'undo list')).toEqual({ undo: [] });
  });
});

describe.skipIf(!clusterDatabase)('a reset that loses its connection before it is committed', () => {
  it('is made once, is kept, and an undo of its undo has what was written after it', async () => {
    const shared = shareDatabase();
    const server = await shared.start();
    const client = clientOf(server);
    const [holder, other] = [1, 2].map(() => new pg.Client({ connectionString: clusterDatabase })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([holder, other].map((one) => one.connect()));
    await client.post('/Tables', { TableName: 'Table' });
    await client.post('/Table', { PartitionKey: 'p', RowKey: 'a' });
    await askVerb(server, 'snapshot create', { name: 'seed' });
    // Its record waits for the holder.
    const key = randomInt(2 ** 31);
    await other.query(`CREATE FUNCTION ${shared.schema}.wait() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(${key}); RETURN NEW; END'`);
    await other.query(`CREATE TRIGGER wait BEFORE INSERT ON ${shared.schema}.snapshots FOR EACH ROW
      WHEN (NEW.kind = 'undo') EXECUTE FUNCTION ${shared.schema}.wait()`);
    await holder.query('SELECT pg_advisory_lock($1)', [key]);
    const resetting = askVerb(server, 'reset', { to: 'seed' });
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${key} AND NOT granted`;
    const pid = await vi.waitUntil(async () => (await other.query(waiting)).rows[0]?.pid, { timeout: 30_000 });
    const writing = client.post('/Table', { PartitionKey: 'p', RowKey: 'b' });
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await holder.query('SELECT pg_advisory_unlock_all()');
    expect(await resetting).toMatchObject({ tables: 1, undo: expect.any(String) });
    expect((await writing).status).toBe(201);
    expect(((await askVerb(server, 'undo list')) as { undo: unknown[] }).undo).toHaveLength(1);
    const { undo } = (await askVerb(server, 'undo')) as { undo: string };
    expect((await client.get("/Table(PartitionKey='p',RowKey='b')")).status).toBe(404);
    await askVerb(server, 'undo', { id: undo });
    expect((await client.get("/Table(PartitionKey='p',RowKey='b')")).status).toBe(200);
    await Promise.all([holder, other].map((one) => one.end()));
    await shared.dispose();
  });
});
