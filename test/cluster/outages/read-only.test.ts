import { describe, expect, it, onTestFinished } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';

const entity = { PartitionKey: 'p', RowKey: 'r' };

describe.skipIf(!clusterDatabase)('a database that takes no writes', () => {
  it('is answered for with 503 ServerBusy at once, and written to when it takes writes again', async () => {
    const cluster = await PostgresCluster.start();
    onTestFinished(() => cluster.remove());
    const server = await startServer({
      ...defaultConfig,
      port: 0,
      silent: true,
      database: { schema: 'tabularium', connections: 10, url: cluster.url },
    });
    const service = { url: server.url, base: `${server.url}/${developmentAccount.name}`, account: developmentAccount };
    const client = new ServiceClient(() => ({ ...service, takeLoggedErrors: () => [], close: async () => {} }));
    const setReadOnly = async (value: 'on' | 'off') => {
      await cluster.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await cluster.query('SELECT pg_reload_conf()');
      while (
        (await cluster.query('SHOW default_transaction_read_only'))[0]?.['default_transaction_read_only'] !== value
      );
    };
    expect((await client.post('/Tables', { TableName: 'Table' })).status).toBe(201);
    expect((await client.post('/Table', entity)).status).toBe(201);

    await setReadOnly('on');
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([
        client.post('/Tables', { TableName: 'Other' }),
        client.post('/Table', { ...entity, RowKey: 'other' }),
        client.post('/Table', { ...entity, PartitionKey: 'other' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      for (const { body } of answers) expect(body).toContain('ServerBusy');
    }
    expect((await client.get("/Table(PartitionKey='p',RowKey='r')")).status).toBe(200);

    await setReadOnly('off');
    expect((await client.post('/Tables', { TableName: 'Other' })).status).toBe(201);
    expect((await client.post('/Table', { ...entity, RowKey: 'other' })).status).toBe(201);
    client.close();
    await server.close();
    await cluster.remove();
  });
});
