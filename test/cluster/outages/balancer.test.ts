import { setTimeout as later } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { hasHaproxy, startHaproxy } from '../../support/postgres/haproxy.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { whyNoStandby } from '../../support/postgres/postgres-cluster.mjs';
import { startReplicated } from '../../support/postgres/replicated-databases.js';
import { eachInFolder, startChild } from '../../support/programs/child-server.js';
import { freePort } from '../../support/programs/free-port.mjs';

/** Writes that must be acknowledged before the primary is killed, and after the standby was promoted. */
const enough = 200;

/** A client that inserts entities until it is told to stop. */
class Inserter {
  readonly acknowledged: string[] = [];
  readonly running: Promise<void>;
  #isStopped = false;

  constructor(client: ServiceClient, partition: string) {
    this.running = this.#insert(client, partition);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.running;
  }

  async #insert(client: ServiceClient, PartitionKey: string): Promise<void> {
    for (let number = 0; !this.#isStopped; ) {
      const RowKey = `r${String(number).padStart(6, '0')}`;
      const { status, body } = await client.post('/Table', { PartitionKey, RowKey });
      // Of a server, or of HAProxy while no server is ready. Nothing was changed, so the client sends it again.
      if (status === 503) {
        await later(10);
        continue;
      }
      // 409 here would be a write that was made twice.
      expect(status, body).toBe(201);
      this.acknowledged.push(`${PartitionKey}/${RowKey}`);
      number++;
    }
  }
}

describe.skipIf(!clusterDatabase || !hasHaproxy || whyNoStandby)(
  `two servers that HAProxy leads to, on a primary with a synchronous standby (skipped without the program haproxy)${whyNoStandby}`,
  () => {
    let folder = '';
    eachInFolder((made) => {
      folder = made;
    });

    it('keep every acknowledged write when the primary is killed, and serve on when a server is', async () => {
      const databases = await startReplicated();
      onTestFinished(() => databases.remove());
      const { primary, standby } = databases;
      const [tables = 0, one = 0, two = 0, database = 0] = await Promise.all([0, 1, 2, 3].map(freePort));
      const ports = { tables, servers: [one, two], database, databases: [primary.port, standby.port] };
      const { username, pathname } = new URL(primary.url);
      await startHaproxy(folder, ports, username);
      const place = {
        url: `postgres://${username}@127.0.0.1:${database}${pathname}`,
        schema: 'balanced',
      };
      await leadsToPrimary(place.url);
      const servers = await Promise.all([one, two].map((port) => startChild({ database: place, port })));
      const url = `http://127.0.0.1:${tables}`;
      while ((await fetch(`${url}/_tabularium/health`).catch(() => undefined))?.status !== 200) await later(20);
      const service = { url, base: `${url}/${developmentAccount.name}`, account: developmentAccount };
      const connect = () =>
        new ServiceClient(() => ({ ...service, takeLoggedErrors: () => [], close: async () => {} }));
      const client = connect();
      expect((await client.post('/Tables', { TableName: 'Table' })).status).toBe(201);

      const inserters = ['a', 'b', 'c', 'd'].map((partition) => new Inserter(connect(), partition));
      const written = () => inserters.flatMap(({ acknowledged }) => acknowledged);
      const until = async (count: number) => {
        const reached = async () => {
          while (written().length < count) await later(5);
        };
        await Promise.race([reached(), ...inserters.map(({ running }) => running)]);
      };
      await until(enough);
      await databases.failOver();
      await until(written().length + enough);
      await Promise.all(inserters.map((inserter) => inserter.stop()));

      const [first, second] = servers;
      const expected = written().sort();
      for (const server of servers) expect(await readKeys(server.client())).toEqual(expected);
      await first?.stop('SIGKILL');
      expect(await readKeys(client)).toEqual(expected);
      expect((await client.post('/Table', { PartitionKey: 'z', RowKey: 'last' })).status).toBe(201);
      expect(await second?.stop('SIGTERM')).toMatchObject({ code: 0 });
      process.stdout.write(`${expected.length} inserted through HAProxy, none lost\n`);
    });
  },
);

/** Waits until a balancer of databases leads to the primary alone. Before its first checks it leads to the standby by turns. */
async function leadsToPrimary(url: string): Promise<void> {
  for (let inRow = 0; inRow < 4; ) {
    const client = new pg.Client({ connectionString: url });
    // The balancer may end the connection between two questions.
    client.on('error', () => {});
    const isPrimary = await client
      .connect()
      .then(() => client.query('SELECT WHERE NOT pg_is_in_recovery()'))
      .then(({ rowCount }) => rowCount === 1)
      .catch(() => false);
    inRow = isPrimary ? inRow + 1 : 0;
    await client.end().catch(() => {});
  }
}

/** Returns the keys of all rows. */
async function readKeys(client: ServiceClient): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const partition of ['a', 'b', 'c', 'd']) {
    let next = '';
    do {
      const answer = await client.get(`/Table()?$filter=PartitionKey%20eq%20'${partition}'${next}`);
      expect(answer.status, answer.body).toBe(200);
      for (const { PartitionKey, RowKey } of answer.rows) keys.push(`${PartitionKey}/${RowKey}`);
      const row = answer.headers['x-ms-continuation-nextrowkey'];
      next =
        row === undefined
          ? ''
          : `&NextPartitionKey=${answer.headers['x-ms-continuation-nextpartitionkey']}&NextRowKey=${row}`;
    } while (next !== '');
  }
  return keys;
}
