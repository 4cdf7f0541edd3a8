import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  RestError,
  TableClient,
  TableServiceClient,
  type TableServiceClientOptions,
  type TableTransactionResponse,
} from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { startHttpsService } from '../support/servers/https-service.js';
import { type RunningService, startService } from '../support/servers/start-service.js';
import { goodClaims, writeToken } from '../support/signatures/https-token.js';

const credential = new AzureNamedKeyCredential(developmentAccount.name, developmentAccount.keys[0] ?? '');
const hour = () => new Date(Date.now() + 3_600_000);
const rowsOf = async (client: TableClient) => {
  const rows: string[] = [];
  for await (const { partitionKey, rowKey } of client.listEntities()) rows.push(`${partitionKey}/${rowKey}`);
  return rows;
};

/** Expects a call to fail with the status and code of a rejection. */
async function expectRejection(call: Promise<unknown>, statusCode: number, code: string): Promise<void> {
  const error = await call.then(
    () => expect.fail('the call was answered'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RestError);
  expect(error).toMatchObject({ statusCode, details: { odataError: { code } } });
}

describe.each(['http', 'https'] as const)('@azure/data-tables over %s', (scheme) => {
  let service: RunningService & { readonly ca?: string };
  let options: TableServiceClientOptions;
  let keyed: TableServiceClient;

  beforeAll(async () => {
    service = scheme === 'https' ? await startHttpsService({ oauth: true }) : await startService();
    options = {
      allowInsecureConnection: scheme === 'http',
      retryOptions: { maxRetries: 0 },
      ...(service.ca !== undefined && { tlsOptions: { ca: service.ca } }),
    };
    keyed = new TableServiceClient(service.base, credential, options);
  });
  afterAll(() => service.close());

  const byKey = (table: string) => new TableClient(service.base, table, credential, options);
  const bySas = (table: string, sas: string) =>
    new TableClient(service.base, table, new AzureSASCredential(sas), options);
  let tables = 0;
  const withTable = async () => {
    const table = `Table${++tables}`;
    await keyed.createTable(table);
    await byKey(table).createEntity({ partitionKey: 'p', rowKey: 'r', A: 1 });
    return table;
  };

  it('does everything with entities through a table signature', async () => {
    const table = await withTable();
    const permissions = { query: true, add: true, update: true, delete: true };
    const client = bySas(table, generateTableSas(table, credential, { permissions, expiresOn: hour() }));

    await client.createEntity({ partitionKey: 'p', rowKey: '1' });
    await client.upsertEntity({ partitionKey: 'p', rowKey: '2' });
    await client.updateEntity({ partitionKey: 'p', rowKey: '1', A: 2 }, 'Replace');
    await client.deleteEntity('p', 'r');

    expect(await client.getEntity('p', '1')).toMatchObject({ A: 2 });
    expect(await rowsOf(client)).toEqual(['p/1', 'p/2']);
  });

  it('submits a transaction through a table signature', async () => {
    const table = await withTable();
    const permissions = { query: true, add: true, update: true, delete: true };
    const client = bySas(table, generateTableSas(table, credential, { permissions, expiresOn: hour() }));

    const answer: TableTransactionResponse = await client.submitTransaction([
      ['create', { partitionKey: 'p', rowKey: '1' }],
      ['upsert', { partitionKey: 'p', rowKey: '2' }],
      ['delete', { partitionKey: 'p', rowKey: 'r' }],
    ]);

    expect(answer.subResponses.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await rowsOf(client)).toEqual(['p/1', 'p/2']);
  });

  it('is rejected everything that the signature does not allow', async () => {
    const table = await withTable();
    const client = bySas(
      table,
      generateTableSas(table, credential, { permissions: { query: true }, expiresOn: hour() }),
    );

    expect(await rowsOf(client)).toEqual(['p/r']);
    await expectRejection(
      client.createEntity({ partitionKey: 'p', rowKey: '1' }),
      403,
      'AuthorizationPermissionMismatch',
    );
  });

  it('is rejected when the signature has expired', async () => {
    const table = await withTable();
    const expiresOn = new Date(Date.now() - 60_000);
    const client = bySas(table, generateTableSas(table, credential, { permissions: { query: true }, expiresOn }));

    await expectRejection(rowsOf(client), 403, 'AuthenticationFailed');
  });

  it('sees only the signed range of keys', async () => {
    const table = await withTable();
    for (const rowKey of ['1', '2', '3']) await byKey(table).createEntity({ partitionKey: 'q', rowKey });
    const client = bySas(
      table,
      generateTableSas(table, credential, {
        permissions: { query: true, add: true },
        expiresOn: hour(),
        startPartitionKey: 'q',
        startRowKey: '2',
        endPartitionKey: 'q',
        endRowKey: '3',
      }),
    );

    expect(await rowsOf(client)).toEqual(['q/2', 'q/3']);
    await expectRejection(client.getEntity('q', '1'), 404, 'ResourceNotFound');
    await expectRejection(client.createEntity({ partitionKey: 'q', rowKey: '9' }), 403, 'AuthorizationFailure');
  });

  it('is rejected over HTTP when the signature is for HTTPS only', async () => {
    const table = await withTable();
    const sas = generateTableSas(table, credential, {
      permissions: { query: true },
      expiresOn: hour(),
      protocol: 'https',
    });
    const client = bySas(table, sas);

    if (scheme === 'https') expect(await rowsOf(client)).toEqual(['p/r']);
    else await expectRejection(rowsOf(client), 403, 'AuthorizationProtocolMismatch');
  });

  it('works with signed addresses', async () => {
    const table = await withTable();
    const from = (start: string, end: string) =>
      bySas(
        table,
        generateTableSas(table, credential, {
          permissions: { query: true },
          expiresOn: hour(),
          ipRange: { start, end },
        }),
      );

    expect(await rowsOf(from('127.0.0.1', '127.0.0.1'))).toEqual(['p/r']);
    await expectRejection(rowsOf(from('10.0.0.1', '10.0.0.9')), 403, 'AuthorizationSourceIPMismatch');
  });

  it('manages tables through an account signature', async () => {
    const sas = generateAccountSas(credential, {
      permissions: { list: true, write: true, delete: true, add: true },
      expiresOn: hour(),
    });
    const client = new TableServiceClient(service.base, new AzureSASCredential(sas), options);

    await client.createTable('ByAccount');
    const names: (string | undefined)[] = [];
    for await (const { name } of client.listTables({ queryOptions: { filter: "TableName eq 'ByAccount'" } }))
      names.push(name);
    await bySas('ByAccount', sas).createEntity({ partitionKey: 'p', rowKey: 'r' });
    await client.deleteTable('ByAccount');

    expect(names).toEqual(['ByAccount']);
  });

  it('generates an account signature for list and read by default', async () => {
    const client = new TableServiceClient(
      service.base,
      new AzureSASCredential(generateAccountSas(credential)),
      options,
    );

    const first = await client.listTables().next();

    expect(first.done).toBe(false);
    await expectRejection(client.createTable('Rejected'), 403, 'AuthorizationPermissionMismatch');
  });

  it('sets and gets access policies', async () => {
    const client = byKey(await withTable());
    const start = new Date('2026-11-21T10:00:00Z');
    const expiry = new Date('2026-11-22T10:00:00Z');

    await client.setAccessPolicy([
      { id: 'full', accessPolicy: { start, expiry, permission: 'raud' } },
      { id: 'part', accessPolicy: { permission: 'r' } },
      { id: 'none' },
    ]);

    expect(await client.getAccessPolicy()).toMatchObject([
      { id: 'full', accessPolicy: { start, expiry, permission: 'raud' } },
      { id: 'part', accessPolicy: { permission: 'r' } },
      { id: 'none' },
    ]);
    await client.setAccessPolicy([]);
    expect(await client.getAccessPolicy()).toEqual([]);
  });

  it('is allowed by a stored policy until the policy is removed', async () => {
    const table = await withTable();
    await byKey(table).setAccessPolicy([{ id: 'readers', accessPolicy: { expiry: hour(), permission: 'r' } }]);
    const client = bySas(table, generateTableSas(table, credential, { identifier: 'readers' }));

    expect(await rowsOf(client)).toEqual(['p/r']);
    await byKey(table).setAccessPolicy([]);
    await expectRejection(rowsOf(client), 403, 'AuthenticationFailed');
  });

  it('gets statistics from the secondary', async () => {
    const endpoint = `${service.url.replace('127.0.0.1', 'localhost')}/devstoreaccount1-secondary`;
    const client = new TableServiceClient(endpoint, credential, options);

    const { geoReplication } = await client.getStatistics();

    expect(geoReplication?.status).toBe('live');
    expect(geoReplication?.lastSyncTime).toBeInstanceOf(Date);
  });

  it('gets the properties of a new account, and sets them', async () => {
    const rule = {
      allowedOrigins: 'http://own.example',
      allowedMethods: 'GET,PUT',
      allowedHeaders: '',
      exposedHeaders: '',
      maxAgeInSeconds: 5,
    };
    const retentionPolicy = { enabled: true, days: 3 };
    const logging = { version: '1.0', read: true, write: false, delete: true, retentionPolicy };

    const asNew = await keyed.getProperties();
    await keyed.setProperties({ logging, cors: [rule] });
    const changed = await keyed.getProperties();

    expect(asNew).toMatchObject({
      logging: { read: false, write: false, delete: false },
      hourMetrics: { enabled: true, includeAPIs: true, retentionPolicy: { enabled: true, days: 7 } },
      minuteMetrics: { enabled: false },
      cors: [],
    });
    expect(changed).toMatchObject({ logging, hourMetrics: asNew.hourMetrics, cors: [rule] });
    await keyed.setProperties({ cors: [] });
    expect((await keyed.getProperties()).cors).toEqual([]);
  });

  it('sends bearer tokens over HTTPS only', async () => {
    const table = await withTable();
    const tokens = {
      getToken: async () => ({ token: writeToken(goodClaims()), expiresOnTimestamp: Date.now() + 3_600_000 }),
    };
    const client = new TableClient(service.base, table, tokens, options);

    if (scheme === 'https') expect(await rowsOf(client)).toEqual(['p/r']);
    else await expect(rowsOf(client)).rejects.toThrow(/non-TLS|https/i);
  });
});
