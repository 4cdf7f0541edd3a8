import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import type { ServiceClient } from '../../support/clients/service-client.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { whyNoStandby } from '../../support/postgres/postgres-cluster.mjs';
import { type ReplicatedDatabases, startReplicated } from '../../support/postgres/replicated-databases.js';
import { CuttingProxy } from '../../support/servers/cutting-proxy.js';
import { clientOf, shareDatabase } from '../../support/servers/shared-servers.js';

const row = "/Table(PartitionKey='p',RowKey='r')";

describe.skipIf(!clusterDatabase || whyNoStandby)(`a planned switchover${whyNoStandby}`, () => {
  let databases: ReplicatedDatabases;
  let proxy: CuttingProxy;
  beforeEach(async () => {
    databases = await startReplicated();
    // An address that leads to one server, and leaves its connections alone: DNS, or a service of Kubernetes.
    proxy = await CuttingProxy.start(databases.primary.port, { request: 0, answer: 0 }, () => 1);
  });
  afterEach(async () => {
    await proxy.stop();
    await databases.remove();
  });

  const valueOn = async (client: ServiceClient) => (await client.get(row)).json['V'];
  const write = (client: ServiceClient, V: number) => client.put(row, { V });
  const healthOf = async ({ url }: RunningServer) => (await fetch(`${url}/_tabularium/health`)).status;
  const sessionsOn = async (database: ReplicatedDatabases['primary']) =>
    Number(
      (await database.query("SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'tabularium'"))[0]?.[
        'n'
      ],
    );

  it('leaves no read on the old primary once its address leads to the new one, and the server is ready again', async () => {
    const { primary, standby } = databases;
    const shared = shareDatabase();
    const through = Object.assign(new URL(primary.url), { port: proxy.port }).href;
    const [one, two] = [await shared.start({}, through), await shared.start({}, through)];
    const [first, second] = [clientOf(one), clientOf(two)];
    await first.post('/Tables', { TableName: 'Table' });
    await write(first, 1);

    await databases.switchOver();
    // The old primary is a standby now, and still behind the address: it is read from, because there is no other.
    for (const client of [first, second])
      expect([await valueOn(client), (await client.get('/Table()')).status]).toEqual([1, 200]);
    expect([await healthOf(one), await healthOf(two)]).toEqual([503, 503]);
    await primary.query('SELECT pg_wal_replay_pause()');
    proxy.target = standby.port;

    for (let v = 2; v < 12; v++) {
      expect((await write(first, v)).status).toBe(204);
      expect([await valueOn(first), await valueOn(second)]).toEqual([v, v]);
      expect((await second.get('/Table()')).rows.map(({ V }) => V)).toEqual([v]);
    }
    expect([await healthOf(one), await healthOf(two)]).toEqual([200, 200]);
    await shared.dispose();
    expect(await sessionsOn(primary)).toBe(0);
  });

  it('that is announced on a session makes each connection of the server drop its own', async () => {
    const through = Object.assign(new URL(databases.primary.url), { port: proxy.port }).href;
    const shared = shareDatabase();
    const server = await shared.start({}, through);
    const client = clientOf(server);
    await client.post('/Tables', { TableName: 'Table' });
    await write(client, 1);
    const opened = async () => {
      const text = await (await fetch(`${server.url}/_tabularium/metrics`)).text();
      return Number(/^tabularium_store_connections_opened_total (\d+)/m.exec(text)?.[1]);
    };
    const before = await opened();
    expect(await valueOn(client)).toBe(1);
    expect(await opened()).toBe(before);

    const status = Buffer.from('in_hot_standby\0on\0');
    proxy.tell(Buffer.concat([Buffer.from('S'), Buffer.from([0, 0, 0, 4 + status.length]), status]));
    await write(client, 2);
    expect(await valueOn(client)).toBe(2);
    expect(await opened()).toBeGreaterThanOrEqual(before + 2);
    await shared.dispose();
  });

  it('needs no other address if the URL names both servers', async () => {
    const { primary, standby } = databases;
    const shared = shareDatabase();
    const { username } = new URL(primary.url);
    const both = `postgres://${username}@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/tabularium`;
    const server = await shared.start({}, both);
    const strict = await shared.start({}, `${both}?target_session_attrs=primary`);
    const client = clientOf(server);
    await client.post('/Tables', { TableName: 'Table' });
    await write(client, 1);
    expect(await sessionsOn(standby)).toBe(0);

    await databases.switchOver();
    for (let v = 2; v < 12; v++) {
      expect((await write(client, v)).status).toBe(204);
      expect([await valueOn(client), await valueOn(clientOf(strict))]).toEqual([v, v]);
    }
    expect([await healthOf(server), await healthOf(strict)]).toEqual([200, 200]);
    expect(await sessionsOn(primary)).toBe(0);
    await shared.dispose();
  });
});
