import azure from 'azure-storage';
import { expect, it } from 'vitest';
import {
  ask,
  connectLegacy,
  type LegacyEntity,
  type LegacyValue,
  valuesOf,
} from '../support/clients/azure-storage-client.js';
import { describeService } from '../support/servers/describe-service.js';

const { entityGenerator: type } = azure.TableUtilities;

describeService('azure-storage, tables and entities', ({ withTable, service }) => {
  const connect = () => connectLegacy(service());
  const retrieve = (client: azure.TableService, table: string, partitionKey: string, rowKey: string) =>
    ask<LegacyEntity>((done) => client.retrieveEntity(table, partitionKey, rowKey, done));
  const insert = (client: azure.TableService, table: string, entity: object) =>
    ask<azure.TableService.EntityMetadata>((done) => client.insertEntity(table, entity, done));
  const query = (
    client: azure.TableService,
    table: string,
    asked: azure.TableQuery,
    token?: azure.TableService.TableContinuationToken,
  ) =>
    ask<azure.TableService.QueryEntitiesResult<LegacyEntity>>((done) =>
      client.queryEntities(table, asked, token as azure.TableService.TableContinuationToken, done),
    );

  it('creates, finds, lists and deletes tables', async () => {
    const client = connect();
    const exists = () => ask<azure.TableService.TableResult>((done) => client.doesTableExist('Legacy', done));

    expect(await exists()).toMatchObject({ exists: false });
    await ask<azure.TableService.TableResult>((done) => client.createTable('Legacy', done));
    const again = await ask<azure.TableService.TableResult>((done) => client.createTableIfNotExists('Legacy', done));
    const listed = await ask<azure.TableService.ListTablesResponse>((done) =>
      client.listTablesSegmentedWithPrefix('Leg', undefined as never, done),
    );

    expect(again).toMatchObject({ created: false });
    expect(await exists()).toMatchObject({ exists: true });
    expect(listed.entries).toEqual(['Legacy']);
    await ask<unknown>((done) => client.deleteTable('Legacy', (error, response) => done(error, response, response)));
    expect(await exists()).toMatchObject({ exists: false });
  });

  it('reports that a table already exists', async () => {
    const client = connect();
    const table = await withTable();

    const error = ask<azure.TableService.TableResult>((done) => client.createTable(table, done));

    await expect(error).rejects.toMatchObject({ statusCode: 409, code: 'TableAlreadyExists' });
  });

  it('stores and reads values of every type', async () => {
    const client = connect();
    const table = await withTable();
    const values = {
      text: 'grün \u{1f600}',
      flag: true,
      int: -5,
      long: '9007199254740993',
      ratio: 0.5,
      when: new Date('2020-01-02T03:04:05.678Z'),
      bytes: Buffer.from([0, 1, 254, 255]),
      id: 'c9da6455-213d-42c9-9a79-3e9149a57833',
    };

    await insert(client, table, {
      PartitionKey: type.String('p'),
      RowKey: type.String('r'),
      text: type.String(values.text),
      flag: type.Boolean(values.flag),
      int: type.Int32(values.int),
      long: type.Int64(values.long),
      ratio: type.Double(values.ratio),
      when: type.DateTime(values.when),
      bytes: type.Binary(values.bytes),
      id: type.Guid(values.id),
    });
    const stored = await retrieve(client, table, 'p', 'r');

    expect(valuesOf(stored)).toEqual({ PartitionKey: 'p', RowKey: 'r', ...values });
    const types = Object.entries(stored).map(([name, value]) => [name, (value as LegacyValue).$]);
    expect(Object.fromEntries(types)).toMatchObject({
      long: 'Edm.Int64',
      when: 'Edm.DateTime',
      bytes: 'Edm.Binary',
      id: 'Edm.Guid',
    });
  });

  it.each(['full', 'minimal', 'no'] as const)('reads an entity with %s metadata', async (level) => {
    const client = connect();
    const table = await withTable();
    await insert(client, table, { PartitionKey: type.String('p'), RowKey: type.String('r'), long: type.Int64('5') });
    const payloadFormat = `application/json;odata=${level}metadata`;

    const stored = await ask<LegacyEntity>((done) => client.retrieveEntity(table, 'p', 'r', { payloadFormat }, done));

    expect(valuesOf(stored)).toMatchObject({ RowKey: 'r', long: '5' });
    expect(stored['long']?.$).toBe(level === 'no' ? undefined : 'Edm.Int64');
  });

  it('returns the inserted entity when echoContent is set', async () => {
    const client = connect();
    const table = await withTable();
    const entity = { PartitionKey: type.String('p'), RowKey: type.String('r'), A: type.Int32(1) };

    const echoed = await ask<unknown>((done) => client.insertEntity(table, entity, { echoContent: true }, done));

    expect(valuesOf(echoed as LegacyEntity)).toEqual({ PartitionKey: 'p', RowKey: 'r', A: 1 });
  });

  it('merges, replaces, upserts and deletes', async () => {
    const client = connect();
    const table = await withTable();
    const keys = { PartitionKey: type.String('p'), RowKey: type.String('r') };
    await insert(client, table, { ...keys, A: type.Int32(1) });
    const now = async () => valuesOf(await retrieve(client, table, 'p', 'r'));

    await ask<unknown>((done) => client.mergeEntity(table, { ...keys, B: type.Int32(2) }, done));
    expect(await now()).toEqual({ PartitionKey: 'p', RowKey: 'r', A: 1, B: 2 });
    await ask<unknown>((done) => client.insertOrMergeEntity(table, { ...keys, C: type.Int32(3) }, done));
    expect(await now()).toEqual({ PartitionKey: 'p', RowKey: 'r', A: 1, B: 2, C: 3 });
    await ask<unknown>((done) => client.replaceEntity(table, { ...keys, D: type.Int32(4) }, done));
    expect(await now()).toEqual({ PartitionKey: 'p', RowKey: 'r', D: 4 });
    await ask<unknown>((done) => client.insertOrReplaceEntity(table, { ...keys, E: type.Int32(5) }, done));
    expect(await now()).toEqual({ PartitionKey: 'p', RowKey: 'r', E: 5 });
    await ask<unknown>((done) => client.deleteEntity(table, keys, (error, answer) => done(error, answer, answer)));
    await expect(now()).rejects.toMatchObject({ statusCode: 404, code: 'ResourceNotFound' });
  });

  it('replaces only if the tag matches', async () => {
    const client = connect();
    const table = await withTable();
    const keys = { PartitionKey: type.String('p'), RowKey: type.String('r') };
    const replace = (A: number, etag: string) =>
      ask<azure.TableService.EntityMetadata>((done) =>
        client.replaceEntity(table, { ...keys, A: type.Int32(A), '.metadata': { etag } }, done),
      );
    const first = (await insert(client, table, keys))['.metadata'].etag;

    const second = (await replace(1, first))['.metadata'].etag;

    expect((await retrieve(client, table, 'p', 'r'))['.metadata'].etag).toBe(second);
    await expect(replace(2, first)).rejects.toMatchObject({ statusCode: 412, code: 'UpdateConditionNotSatisfied' });
  });

  it.each(["it's", "'", 'a b', 'a+b', 'a%20b', 'größe', "a','b", '(=)', '\u{1f600}', '', '$batch'])(
    'stores and finds an entity with the key %j',
    async (key) => {
      const client = connect();
      const table = await withTable();
      const keys = { PartitionKey: type.String(key), RowKey: type.String(key) };
      await insert(client, table, keys);

      await ask<unknown>((done) => client.mergeEntity(table, { ...keys, A: type.Int32(1) }, done));
      const found = await query(
        client,
        table,
        new azure.TableQuery().where('PartitionKey eq ? and RowKey eq ?', key, key),
      );

      expect(found.entries.map(valuesOf)).toEqual([{ PartitionKey: key, RowKey: key, A: 1 }]);
      expect(valuesOf(await retrieve(client, table, key, key))).toMatchObject({ RowKey: key });
      await ask<unknown>((done) => client.deleteEntity(table, keys, (error, answer) => done(error, answer, answer)));
      expect((await query(client, table, new azure.TableQuery())).entries).toEqual([]);
    },
  );

  it('reads more entities than fit on one page', async () => {
    const client = connect();
    const table = await withTable();
    const count = 2345;
    for (let from = 0; from < count; from += 100) {
      const batch = new azure.TableBatch();
      for (let at = from; at < Math.min(from + 100, count); at++) {
        batch.insertEntity(
          { PartitionKey: type.String('p'), RowKey: type.String(String(at).padStart(5, '0')), At: type.Int32(at) },
          {},
        );
      }
      await ask<unknown>((done) => client.executeBatch(table, batch, done));
    }
    const walk = async (asked: azure.TableQuery) => {
      const sizes = [];
      const found: unknown[] = [];
      let token: azure.TableService.TableContinuationToken | undefined;
      do {
        const page = await query(client, table, asked, token);
        sizes.push(page.entries.length);
        found.push(...page.entries.map((entity) => valuesOf(entity)['At']));
        token = page.continuationToken ?? undefined;
      } while (token);
      return { sizes, found };
    };

    const all = await walk(new azure.TableQuery());
    const some = await walk(
      new azure.TableQuery().select('At', 'RowKey').where('At ge ?', 300).and('PartitionKey eq ?', 'p'),
    );
    const few = await walk(new azure.TableQuery().top(1000).where('RowKey lt ?', '01500'));

    expect(all).toEqual({ sizes: [1000, 1000, 345], found: Array.from({ length: count }, (_, at) => at) });
    expect(some).toEqual({ sizes: [1000, 1000, 45], found: all.found.slice(300) });
    expect(few).toEqual({ sizes: [1000, 500], found: all.found.slice(0, 1500) });
  });

  it('filters by values of every type', async () => {
    const client = connect();
    const table = await withTable();
    const when = new Date('2020-01-02T03:04:05.678Z');
    for (const at of [1, 2]) {
      await insert(client, table, {
        PartitionKey: type.String('p'),
        RowKey: type.String(String(at)),
        long: type.Int64(String(at)),
        ratio: type.Double(at + 0.5),
        when: type.DateTime(new Date(when.getTime() + at)),
        flag: type.Boolean(at === 1),
        bytes: type.Binary(Buffer.from([at])),
        id: type.Guid(`c9da6455-213d-42c9-9a79-3e9149a5783${at}`),
        text: type.String(`it's ${at}`),
      });
    }
    const { TableQuery } = azure;
    const filters = [
      TableQuery.int64Filter('long', 'eq', '1'),
      TableQuery.doubleFilter('ratio', 'lt', 2),
      TableQuery.dateFilter('when', 'le', new Date(when.getTime() + 1)),
      TableQuery.booleanFilter('flag', 'ne', false),
      TableQuery.binaryFilter('bytes', 'eq', Buffer.from([1])),
      TableQuery.guidFilter('id', 'eq', 'c9da6455-213d-42c9-9a79-3e9149a57831'),
      TableQuery.stringFilter('text', 'eq', "it's 1"),
      TableQuery.combineFilters("RowKey eq '1'", 'and', "not (RowKey eq '2')"),
    ];

    for (const filter of filters) {
      const { entries } = await query(client, table, new TableQuery().where(filter));
      expect(
        entries.map((entity) => valuesOf(entity)['RowKey']),
        filter,
      ).toEqual(['1']);
    }
  });
});
