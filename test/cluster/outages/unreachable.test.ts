import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineDatabase } from '../../../src/commands/doctor/examine.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { schemaVersion } from '../../../src/store/postgres/schema/create-schema.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { CuttingProxy } from '../../support/servers/cutting-proxy.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

/** The last test waits 30 s, so it is part of `npm run test:long -- cluster` alone. */
const isThorough = process.env['TABULARIUM_CLUSTER_KILLS'] !== undefined;

describe.skipIf(!clusterDatabase)('a server whose database cannot be reached', () => {
  let proxy: CuttingProxy;
  let server: RunningServer;
  let client: ServiceClient;
  let database: { readonly url: string; readonly schema: string; readonly connections: number };
  beforeEach(async () => {
    proxy = await CuttingProxy.start(Number(new URL(url).port), { request: 0, answer: 0 }, () => 1);
    const through = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
    database = { url: through, connections: 10, schema: `unreachable_${Date.now()}` };
    server = await startServer({ ...defaultConfig, port: 0, silent: true, database });
    const service = { url: server.url, base: `${server.url}/${developmentAccount.name}`, account: developmentAccount };
    client = new ServiceClient(() => ({ ...service, takeLoggedErrors: () => [], close: async () => {} }));
    await client.post('/Tables', { TableName: 'Table' });
  });
  afterEach(async () => {
    proxy.goOn();
    client.close();
    await server.close();
    await proxy.stop();
    await dropSchema({ url, schema: database.schema });
  });

  const entity = { PartitionKey: 'p', RowKey: 'r' };

  it('answers 503 ServerBusy, is not ready, and recovers when the database is back', async () => {
    const direct = await fetch(`${server.url}/_tabularium/health`);
    expect(direct.status).toBe(200);
    proxy.reject();
    const answers = await Promise.all([
      client.get('/Table()'),
      client.get("/Table(PartitionKey='p',RowKey='r')"),
      client.post('/Table', entity),
      client.post('/Tables', { TableName: 'Other' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    for (const { body } of answers) expect(body).toContain('ServerBusy');
    expect((await fetch(`${server.url}/_tabularium/health`)).status).toBe(503);
    expect((await fetch(`${server.url}/_tabularium/health/live`)).status).toBe(200);

    proxy.goOn();
    expect((await client.get("/Table(PartitionKey='p',RowKey='r')")).status).toBe(404);
    expect((await client.post('/Table', entity)).status).toBe(201);
  });

  it.skipIf(!isThorough)(
    'answers 500 OperationTimedOut for a write whose answer never comes, and makes it once',
    async () => {
      // Opens the connection that writes.
      await client.post('/Table', { ...entity, RowKey: 'first' });
      proxy.swallowAnswers();
      const answer = await client.post('/Table', entity);
      expect(answer.status).toBe(500);
      expect(answer.body).toContain('OperationTimedOut');
      proxy.goOn();
      const next = await client.post('/Table', { ...entity, RowKey: 'next' });
      expect(next.status).toBe(201);
      expect((await client.get('/Table()')).rows.map(({ RowKey }) => RowKey)).toEqual(['first', 'next', 'r']);
    },
  );

  it('is explained by the doctor, without the password', async () => {
    proxy.reject();
    const secret = Object.assign(new URL(database.url), { password: 's3cret' }).href;
    const findings = await examineDatabase({ ...database, url: secret });
    expect(findings).toMatchObject([
      { about: 'database', remedy: expect.stringContaining('Check that the database runs') },
    ]);
    expect(JSON.stringify(findings)).not.toContain('s3cret');
    proxy.goOn();
    const found = (await examineDatabase(database)).map(({ result }) => result);
    const ending = `format ${schemaVersion}`;
    expect(found).toContainEqual(
      expect.stringMatching(new RegExp(`^PostgreSQL \\d+.*, the schema unreachable_\\d+ .*, ${ending}$`)),
    );
  });
});
