import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import type { ServiceClient } from '../../support/clients/service-client.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { clientOf, type SharedServers, shareDatabase } from '../../support/servers/shared-servers.js';

const rowAt = (key: string, table = 'Table') => `/${table}(PartitionKey='p',RowKey='${key}')`;

describe.skipIf(!clusterDatabase)('a row that another session of the database has locked', () => {
  let shared: SharedServers;
  let server: RunningServer;
  let client: ServiceClient;
  let other: pg.Client;
  beforeEach(async () => {
    shared = shareDatabase();
    server = await shared.start();
    client = clientOf(server);
    for (const TableName of ['Table', 'Other']) await client.post('/Tables', { TableName });
    await client.put(rowAt('locked'), { V: 1 });
    other = new pg.Client({ connectionString: clusterDatabase });
    await other.connect();
    await other.query(`SET search_path TO ${shared.schema}`);
  });
  afterEach(async () => {
    await other.end();
    await shared.dispose();
  });

  it.each([
    ['an entity', "SELECT FROM entities WHERE rk = '\\x006c006f0063006b00650064' FOR UPDATE", 'Other'],
    [
      'an entity that is not committed yet',
      `INSERT INTO entities SELECT table_id, pk, '\\x006e00650077', ts, body FROM entities WHERE rk = '\\x006c006f0063006b00650064'`,
      'Other',
    ],
    ['a table, as a restore on another server does', "SELECT FROM tables WHERE name = 'Table' FOR UPDATE", undefined],
  ])('keeps the writes of that row waiting, and no others: %s', async (_, lock, sameTable) => {
    const locked = lock.startsWith('INSERT') ? rowAt('new') : rowAt('locked');
    await other.query(`BEGIN; ${lock}`);
    let waiting = 2;
    const waits = [2, 3].map(async (V) => {
      const { status } = await client.put(locked, { V });
      waiting--;
      return status;
    });
    for (let at = 0; at < 20; at++) {
      // Together with writes of the locked row, whose group gives it up.
      const answers = await Promise.all([
        client.put(rowAt(`free${at}`, 'Other'), { V: at }),
        client.put(rowAt(`free${at}`, sameTable === undefined ? 'Other' : 'Table'), { V: at }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    }
    expect(waiting).toBe(2);
    expect((await fetch(`${server.url}/_tabularium/health`)).status).toBe(200);

    await other.query('ROLLBACK');
    expect(await Promise.all(waits)).toEqual([204, 204]);
    expect((await client.get(locked)).json['V']).toBe(3);
    expect(shared.errors).toEqual([]);
  });
});
