import azure from 'azure-storage';
import { expect, it } from 'vitest';
import {
  ask,
  connectLegacy,
  type LegacyEntity,
  type LegacyPart,
  valuesOf,
} from '../support/clients/azure-storage-client.js';
import { describeService } from '../support/servers/describe-service.js';

const { entityGenerator: type } = azure.TableUtilities;
const keys = (row: number | string, partition = 'p') => ({
  PartitionKey: type.String(partition),
  RowKey: type.String(String(row)),
});

describeService('azure-storage, batches', ({ withTable, service, client: plain }) => {
  const connect = () => connectLegacy(service());
  const execute = (table: string, batch: azure.TableBatch) =>
    ask<LegacyPart[]>((done) =>
      connect().executeBatch(table, batch, (error, parts, response) => done(error, parts as LegacyPart[], response)),
    );
  const rowsOf = async (table: string) =>
    (await plain.get(`/${table}`)).rows.map(({ RowKey, A, B }) => ({ RowKey, A, B }));

  async function withRows(count: number): Promise<string> {
    const table = await withTable();
    const batch = new azure.TableBatch();
    for (let at = 0; at < count; at++) batch.insertEntity({ ...keys(at), A: type.Int32(at) }, {});
    const parts = await execute(table, batch);
    expect(parts.map(({ response }) => response.statusCode)).toEqual(Array(count).fill(204));
    return table;
  }

  it('inserts a hundred entities and returns the tag of each', async () => {
    const table = await withTable();
    const batch = new azure.TableBatch();
    for (let at = 0; at < 100; at++) batch.insertEntity({ ...keys(at), A: type.Int32(at) }, {});

    const parts = await execute(table, batch);

    const tags = parts.map(({ entity }) => entity?.['.metadata'].etag);
    expect(new Set(tags).size).toBe(100);
    const rows = (await plain.get(`/${table}`)).rows;
    expect(new Set(rows.map((row) => row['odata.etag']))).toEqual(new Set(tags));
  });

  it('mixes operations of every kind', async () => {
    const table = await withRows(5);
    const batch = new azure.TableBatch();
    batch.mergeEntity({ ...keys(0), B: type.Int32(10) });
    batch.replaceEntity({ ...keys(1), B: type.Int32(11) });
    batch.insertOrReplaceEntity({ ...keys(2), B: type.Int32(12) });
    batch.insertOrMergeEntity({ ...keys(3), B: type.Int32(13) });
    batch.deleteEntity(keys(4));
    batch.insertOrMergeEntity({ ...keys(5), B: type.Int32(15) });
    batch.insertEntity({ ...keys(6), B: type.Int32(16) }, {});

    const parts = await execute(table, batch);

    expect(parts.map(({ response }) => response)).toEqual(
      Array(7).fill(expect.objectContaining({ statusCode: 204, isSuccessful: true })),
    );
    expect(await rowsOf(table)).toEqual([
      { RowKey: '0', A: 0, B: 10 },
      { RowKey: '1', A: undefined, B: 11 },
      { RowKey: '2', A: undefined, B: 12 },
      { RowKey: '3', A: 3, B: 13 },
      { RowKey: '5', A: undefined, B: 15 },
      { RowKey: '6', A: undefined, B: 16 },
    ]);
  });

  it('returns the inserted entities when echoContent is set', async () => {
    const table = await withTable();
    const batch = new azure.TableBatch();
    batch.insertEntity({ ...keys(0), A: type.Int64('9007199254740993') }, { echoContent: true });
    batch.insertEntity({ ...keys(1) }, { echoContent: true });

    const [first, second] = await execute(table, batch);

    expect(first?.response.statusCode).toBe(201);
    expect(valuesOf(first?.entity as LegacyEntity)).toEqual({
      PartitionKey: 'p',
      RowKey: '0',
      A: '9007199254740993',
    });
    expect(valuesOf(second?.entity as LegacyEntity)).toEqual({ PartitionKey: 'p', RowKey: '1' });
  });

  it('retrieves one entity', async () => {
    const table = await withRows(2);
    const batch = new azure.TableBatch();
    batch.retrieveEntity('p', '1');

    const parts = await execute(table, batch);

    expect(parts).toHaveLength(1);
    expect(parts[0]?.response.statusCode).toBe(200);
    expect(valuesOf(parts[0]?.entity as LegacyEntity)).toEqual({ PartitionKey: 'p', RowKey: '1', A: 1 });
  });

  it.each(["it's", 'a b+c%20', 'größe', '\u{1f600}', ''])('reaches entities with the key %j', async (key) => {
    const table = await withTable();
    await plain.post(`/${table}`, { PartitionKey: key, RowKey: key });
    const batch = new azure.TableBatch();
    batch.mergeEntity({ ...keys(key, key), A: type.Int32(1) });
    batch.insertEntity({ ...keys(`${key}2`, key) }, {});
    batch.insertOrReplaceEntity({ ...keys(`${key}3`, key) });

    const parts = await execute(table, batch);

    expect(parts).toHaveLength(3);
    const rows = (await plain.get(`/${table}`)).rows.map((row) => [row['PartitionKey'], row['RowKey'], row['A']]);
    expect(rows).toEqual([
      [key, key, 1],
      [key, `${key}2`, undefined],
      [key, `${key}3`, undefined],
    ]);
  });

  it('reports which operation failed, and why', async () => {
    const table = await withRows(3);
    const batch = new azure.TableBatch();
    batch.mergeEntity({ ...keys(0), B: type.Int32(1) });
    batch.insertEntity({ ...keys(9) }, {});
    batch.insertEntity({ ...keys(2) }, {});

    await expect(execute(table, batch)).rejects.toMatchObject({
      name: 'StorageError',
      statusCode: 409,
      code: 'EntityAlreadyExists',
      message: expect.stringMatching(/^2:The specified entity already exists\.\nRequestId:/),
    });
    expect(await rowsOf(table)).toEqual([0, 1, 2].map((at) => ({ RowKey: String(at), A: at, B: undefined })));
  });

  it.each<[string, (batch: azure.TableBatch) => void, number, string, RegExp]>([
    [
      'a stale tag',
      (batch) => batch.replaceEntity({ ...keys(0), '.metadata': { etag: `W/"datetime'2020-01-01T00%3A00%3A00Z'"` } }),
      412,
      'UpdateConditionNotSatisfied',
      /^The update condition/,
    ],
    [
      'a missing entity',
      (batch) => batch.mergeEntity(keys('missing')),
      404,
      'ResourceNotFound',
      /^The specified resource/,
    ],
    [
      'an entity that appears twice',
      (batch) => [0, 1, 0].map((at) => batch.insertOrMergeEntity(keys(at))),
      400,
      'InvalidDuplicateRow',
      /^2:/,
    ],
    [
      'a missing row',
      (batch) => batch.retrieveEntity('p', 'missing'),
      404,
      'ResourceNotFound',
      /^0:The specified resource/,
    ],
  ])('reports %s', async (_, add, statusCode, code, message) => {
    const table = await withRows(1);
    const batch = new azure.TableBatch();
    add(batch);

    await expect(execute(table, batch)).rejects.toMatchObject({
      statusCode,
      code,
      message: expect.stringMatching(message),
    });
    expect(await rowsOf(table)).toEqual([{ RowKey: '0', A: 0, B: undefined }]);
  });

  it('reports that the table is missing', async () => {
    const batch = new azure.TableBatch();
    batch.insertEntity(keys(0), {});

    await expect(execute('missing', batch)).rejects.toMatchObject({
      statusCode: 404,
      code: 'TableNotFound',
      message: expect.stringMatching(/^0:The table specified does not exist\./),
    });
  });
});
