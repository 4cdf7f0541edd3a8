import { globalAgent } from 'node:https';
import azure from 'azure-storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { ask } from '../support/clients/azure-storage-client.js';
import { startHttpsService } from '../support/servers/https-service.js';
import { type RunningService, startService } from '../support/servers/start-service.js';

const key = developmentAccount.keys[0] ?? '';
const hour = () => new Date(Date.now() + 3_600_000);
const entity = (row: string) => ({ PartitionKey: { _: 'p' }, RowKey: { _: row } });

/** Calls a method of the library whose callback gets no result. */
const askPlain = (begin: (done: azure.ErrorOrResponse) => void) =>
  ask<unknown>((done) => begin((error, response) => done(error, response, response)));

describe.each(['http', 'https'] as const)('azure-storage over %s', (scheme) => {
  let service: RunningService & { readonly ca?: string };
  let host: { primaryHost: string; secondaryHost: string };
  let keyed: azure.TableService;

  beforeAll(async () => {
    service = scheme === 'https' ? await startHttpsService() : await startService();
    // The library reads trusted certificates from Node's global agent only.
    if (service.ca !== undefined) globalAgent.options.ca = service.ca;
    host = { primaryHost: service.base, secondaryHost: `${service.base}-secondary` };
    keyed = trusting(azure.createTableService(developmentAccount.name, key, host));
  });
  afterAll(async () => {
    // Other files run in the same process. What the agent trusts replaces what their requests trust.
    delete globalAgent.options.ca;
    globalAgent.destroy();
    await service.close();
  });

  const trusting = (client: azure.TableService) => {
    client.enableGlobalHttpAgent = scheme === 'https';
    return client.withFilter(new azure.LinearRetryPolicyFilter(0, 0));
  };
  const bySas = (sas: string) => trusting(azure.createTableServiceWithSas(host, sas));
  let tables = 0;
  const withTable = async () => {
    const table = `Table${++tables}`;
    await ask((done) => keyed.createTable(table, done));
    await ask((done) => keyed.insertEntity(table, entity('r'), done));
    return table;
  };
  const rowsOf = async (client: azure.TableService, table: string) => {
    const continuation = null as unknown as azure.TableService.TableContinuationToken;
    const query = new azure.TableQuery();
    const { entries } = await ask<azure.TableService.QueryEntitiesResult<{ RowKey: { _: string } }>>((done) =>
      client.queryEntities(table, query, continuation, done),
    );
    return entries.map(({ RowKey }) => RowKey._);
  };

  it('does everything with entities through a table signature', async () => {
    const table = await withTable();
    const sas = keyed.generateSharedAccessSignature(table, { AccessPolicy: { Permissions: 'raud', Expiry: hour() } });
    const client = bySas(sas);

    await ask((done) => client.insertEntity(table, entity('1'), done));
    await ask((done) => client.insertOrMergeEntity(table, { ...entity('2'), A: { _: 1 } }, done));
    await ask((done) => client.replaceEntity(table, { ...entity('1'), A: { _: 1 } }, done));
    await askPlain((done) => client.deleteEntity(table, entity('r'), done));

    expect(await rowsOf(client, table)).toEqual(['1', '2']);
  });

  it('executes a batch through a table signature', async () => {
    const table = await withTable();
    const sas = keyed.generateSharedAccessSignature(table, { AccessPolicy: { Permissions: 'au', Expiry: hour() } });
    const batch = new azure.TableBatch();
    batch.insertEntity(entity('1'), {});
    batch.insertOrReplaceEntity(entity('2'));

    await ask((done) => bySas(sas).executeBatch(table, batch, done));

    expect(await rowsOf(keyed, table)).toEqual(['1', '2', 'r']);
  });

  it('is rejected everything that the signature does not allow', async () => {
    const table = await withTable();
    const sas = keyed.generateSharedAccessSignature(table, { AccessPolicy: { Permissions: 'r', Expiry: hour() } });

    const inserting = ask((done) => bySas(sas).insertEntity(table, entity('1'), done));

    await expect(inserting).rejects.toMatchObject({ statusCode: 403, code: 'AuthorizationPermissionMismatch' });
  });

  it('sees only the signed range of keys', async () => {
    const table = await withTable();
    for (const row of ['1', '2', '3']) await ask((done) => keyed.insertEntity(table, entity(row), done));
    const range = { StartPk: 'p', StartRk: '2', EndPk: 'p', EndRk: '3' };
    const AccessPolicy = { Permissions: 'r', Expiry: hour(), ...range };

    const sas = keyed.generateSharedAccessSignature(table, { AccessPolicy });

    expect(await rowsOf(bySas(sas), table)).toEqual(['2', '3']);
  });

  it('manages tables through an account signature', async () => {
    const sas = azure.generateAccountSharedAccessSignature(developmentAccount.name, key, {
      AccessPolicy: { Services: 't', ResourceTypes: 'sco', Permissions: 'rwdlacu', Expiry: hour() },
    });
    const client = bySas(sas);
    const name = `ByAccount${scheme}`;

    const created = await ask<azure.TableService.TableResult>((done) => client.createTableIfNotExists(name, done));
    await ask((done) => client.insertEntity(name, entity('r'), done));
    const exists = await ask<azure.TableService.TableResult>((done) => client.doesTableExist(name, done));
    await askPlain((done) => client.deleteTable(name, done));

    expect([created.created, exists.exists]).toEqual([true, true]);
  });

  it('sets and gets the access policies of a table', async () => {
    const table = await withTable();
    const policies = {
      full: {
        Start: new Date('2026-11-21T10:00:00Z'),
        Expiry: new Date('2026-11-22T10:00:00Z'),
        Permissions: 'raud',
      },
      part: { Permissions: 'r' },
    };

    await ask((done) => keyed.setTableAcl(table, policies, done));
    const { signedIdentifiers } = await ask<azure.TableService.GetTableAclResult>((done) =>
      keyed.getTableAcl(table, done),
    );

    expect(signedIdentifiers).toEqual(policies);
  });

  it('is allowed by a stored policy until the policy is removed', async () => {
    const table = await withTable();
    await ask((done) => keyed.setTableAcl(table, { readers: { Permissions: 'r', Expiry: hour() } }, done));
    const sas = keyed.generateSharedAccessSignature(table, { Id: 'readers', AccessPolicy: {} as never });

    expect(await rowsOf(bySas(sas), table)).toEqual(['r']);
    await ask((done) => keyed.setTableAcl(table, {}, done));
    await expect(rowsOf(bySas(sas), table)).rejects.toMatchObject({ statusCode: 403, code: 'AuthenticationFailed' });
  });

  it('gets the properties of a new account, and sets them', async () => {
    type Properties = azure.common.models.ServicePropertiesResult.ServiceProperties;
    const get = () => ask<Properties>((done) => keyed.getServiceProperties(done));
    const rule = {
      AllowedMethods: ['GET', 'PUT'],
      AllowedOrigins: ['http://own.example'],
      AllowedHeaders: ['x-ms-*'],
      ExposedHeaders: ['*'],
      MaxAgeInSeconds: 5,
    };
    const logging = {
      Version: '1.0',
      Delete: true,
      Read: false,
      Write: true,
      RetentionPolicy: { Enabled: true, Days: 3 },
    };

    const asNew = await get();
    await askPlain((done) => keyed.setServiceProperties({ Logging: logging, Cors: { CorsRule: [rule] } }, done));
    const changed = await get();

    expect(asNew).toMatchObject({
      Logging: { Read: false, Write: false, Delete: false, RetentionPolicy: { Enabled: false } },
      HourMetrics: { Enabled: true, IncludeAPIs: true, RetentionPolicy: { Enabled: true, Days: 7 } },
      MinuteMetrics: { Enabled: false },
    });
    expect(changed).toMatchObject({ Logging: logging, HourMetrics: asNew.HourMetrics, Cors: { CorsRule: [rule] } });
  });

  it('sets the properties it read, and rules with empty lists of headers', async () => {
    type Properties = azure.common.models.ServicePropertiesResult.ServiceProperties;
    const got = await ask<Properties>((done) => keyed.getServiceProperties(done));
    const rule = {
      AllowedMethods: ['GET'],
      AllowedOrigins: ['*'],
      AllowedHeaders: [],
      ExposedHeaders: [],
      MaxAgeInSeconds: 0,
    };

    await askPlain((done) => keyed.setServiceProperties({ ...got, Cors: { CorsRule: [rule] } }, done));
    const changed = await ask<Properties>((done) => keyed.getServiceProperties(done));

    expect(changed).toMatchObject({ HourMetrics: got.HourMetrics, Cors: { CorsRule: [{ AllowedMethods: ['GET'] }] } });
  });

  it('gets the stats of the service from the secondary', async () => {
    const options = { locationMode: azure.StorageUtilities.LocationMode.SECONDARY_ONLY };

    const stats = await ask<azure.common.models.ServiceStats>((done) => keyed.getServiceStats(options, done));

    expect(stats.GeoReplication?.Status).toBe('live');
    expect(stats.GeoReplication?.LastSyncTime).toBeInstanceOf(Date);
  });
});
