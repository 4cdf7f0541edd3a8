import { AzureNamedKeyCredential, RestError, TableClient, TableTransaction } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { describeService } from '../support/servers/describe-service.js';

describeService('@azure/data-tables, transactions', ({ withTable, service }) => {
  /** Creates a table and returns a client for it. */
  async function withClient(): Promise<TableClient> {
    const { name, keys } = service().account;
    return new TableClient(service().base, await withTable(), new AzureNamedKeyCredential(name, keys[0] ?? ''), {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
  }

  async function rowsOf(client: TableClient): Promise<Record<string, unknown>[]> {
    const rows = [];
    for await (const { timestamp: _t, etag: _e, ...row } of client.listEntities()) rows.push(row);
    return rows;
  }

  const row = (at: number) => String(at).padStart(3, '0');

  it('submits a hundred operations of every kind', async () => {
    const client = await withClient();
    const filling = new TableTransaction();
    for (let at = 0; at < 60; at++) filling.createEntity({ partitionKey: 'p', rowKey: row(at), old: at, kept: true });
    await client.submitTransaction(filling.actions);

    const transaction = new TableTransaction();
    for (let at = 0; at < 10; at++) transaction.deleteEntity('p', row(at));
    for (let at = 10; at < 20; at++) {
      transaction.updateEntity({ partitionKey: 'p', rowKey: row(at), old: -1 }, 'Merge');
    }
    for (let at = 20; at < 30; at++) {
      transaction.updateEntity({ partitionKey: 'p', rowKey: row(at), old: -1 }, 'Replace');
    }
    for (let at = 30; at < 40; at++) {
      transaction.upsertEntity({ partitionKey: 'p', rowKey: row(at), old: -1 }, 'Merge');
    }
    for (let at = 40; at < 70; at++) {
      transaction.upsertEntity({ partitionKey: 'p', rowKey: row(at), old: -1 }, 'Replace');
    }
    for (let at = 70; at < 100; at++) transaction.createEntity({ partitionKey: 'p', rowKey: row(at), old: at });
    const answer = await client.submitTransaction(transaction.actions);

    expect(answer.status).toBe(202);
    expect(answer.subResponses).toHaveLength(100);
    for (const [at, part] of answer.subResponses.entries()) {
      expect(part.status).toBe(204);
      if (at >= 10) expect(part.etag).toMatch(/^W\/"datetime'.*'"/);
    }
    expect(answer.getResponseForEntity(row(70))?.etag).toBe((await client.getEntity('p', row(70))).etag);
    const expected = Array.from({ length: 90 }, (_, index) => {
      const at = index + 10;
      const merged = at < 20 || (at >= 30 && at < 40);
      return { partitionKey: 'p', rowKey: row(at), old: at < 70 ? -1 : at, ...(merged && { kept: true }) };
    });
    expect(await rowsOf(client)).toEqual(expected);
  });

  it('stores values of every type, and text in any script', async () => {
    const client = await withClient();
    const entity = {
      partitionKey: "it's",
      rowKey: 'größer + 1',
      text: 'two\r\nlines, --changeset_ and {"json": true} \u{1f600}',
      large: 9_007_199_254_740_993n,
      ratio: { type: 'Double', value: '0.5' },
      when: new Date('2020-01-02T03:04:05.678Z'),
      bytes: new Uint8Array([0, 1, 254, 255]),
      id: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    };

    const transaction = new TableTransaction();
    transaction.createEntity(entity);
    await client.submitTransaction(transaction.actions);

    const { timestamp: _t, etag: _e, 'odata.metadata': _m, ...stored } = await client.getEntity("it's", 'größer + 1');
    expect(stored).toEqual({ ...entity, ratio: 0.5, bytes: Buffer.from(entity.bytes) });
  });

  it('updates only if the tag matches', async () => {
    const client = await withClient();
    const { etag = '' } = await client.createEntity({ partitionKey: 'p', rowKey: '1', count: 1 });
    const transaction = new TableTransaction();
    transaction.updateEntity({ partitionKey: 'p', rowKey: '1', count: 2 }, 'Merge', { etag });
    transaction.createEntity({ partitionKey: 'p', rowKey: '2' });

    await client.submitTransaction(transaction.actions);
    const again = client.submitTransaction([
      ['update', { partitionKey: 'p', rowKey: '1', count: 3 }, 'Merge', { etag }],
    ]);

    await expect(again).rejects.toMatchObject({ statusCode: 412, code: 'UpdateConditionNotSatisfied' });
    expect((await rowsOf(client)).map(({ count }) => count)).toEqual([2, undefined]);
  });

  it('reports which operation failed, and why', async () => {
    const client = await withClient();
    await client.createEntity({ partitionKey: 'p', rowKey: '2' });
    const transaction = new TableTransaction();
    for (const rowKey of ['0', '1', '2', '3']) transaction.createEntity({ partitionKey: 'p', rowKey });

    const error = await client.submitTransaction(transaction.actions).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(RestError);
    expect(error).toMatchObject({
      name: 'RestError',
      statusCode: 409,
      code: 'EntityAlreadyExists',
      message: expect.stringMatching(/^2:The specified entity already exists\.\nRequestId:/),
    });
    expect(await rowsOf(client)).toEqual([{ partitionKey: 'p', rowKey: '2' }]);
  });

  it('reports that an entity is missing', async () => {
    const client = await withClient();

    const error = client.submitTransaction([
      ['upsert', { partitionKey: 'p', rowKey: '0' }],
      ['delete', { partitionKey: 'p', rowKey: '1' }],
    ]);

    await expect(error).rejects.toMatchObject({
      statusCode: 404,
      code: 'ResourceNotFound',
      message: expect.stringMatching(/^1:/),
    });
    expect(await rowsOf(client)).toEqual([]);
  });

  it('reports that an entity appears twice', async () => {
    const client = await withClient();

    const error = client.submitTransaction([
      ['create', { partitionKey: 'p', rowKey: '0' }],
      ['create', { partitionKey: 'p', rowKey: '1' }],
      ['upsert', { partitionKey: 'p', rowKey: '0' }, 'Replace'],
    ]);

    await expect(error).rejects.toMatchObject({
      statusCode: 400,
      code: 'InvalidDuplicateRow',
      message: expect.stringMatching(/^2:The batch request contains multiple changes with same row key\./),
    });
    expect(await rowsOf(client)).toEqual([]);
  });

  it('reports that a hundred and one operations are too many', async () => {
    const client = await withClient();
    const transaction = new TableTransaction();
    for (let at = 0; at < 101; at++) transaction.createEntity({ partitionKey: 'p', rowKey: row(at) });

    await expect(client.submitTransaction(transaction.actions)).rejects.toMatchObject({
      statusCode: 400,
      code: 'InvalidInput',
      message: expect.stringMatching(
        /^99:The batch request operation exceeds the maximum 100 changes per change set\./,
      ),
    });
    expect(await rowsOf(client)).toEqual([]);
  });

  it('reports that the table is missing', async () => {
    const client = await withClient();
    await client.deleteTable();

    await expect(client.submitTransaction([['create', { partitionKey: 'p', rowKey: '0' }]])).rejects.toMatchObject({
      statusCode: 404,
      code: 'TableNotFound',
      message: expect.stringMatching(/^0:The table specified does not exist\./),
    });
  });

  it('stores a transaction of almost 4 MiB and rejects a larger one', async () => {
    const client = await withClient();
    const submit = (unitsEach: number) => {
      const transaction = new TableTransaction();
      const text = 'x'.repeat(unitsEach / 2);
      for (let at = 0; at < 100; at++)
        transaction.createEntity({ partitionKey: 'p', rowKey: row(at), a: text, b: text });
      return client.submitTransaction(transaction.actions);
    };

    await expect(submit(45_000)).rejects.toMatchObject({ statusCode: 413, code: 'RequestBodyTooLarge' });
    expect(await rowsOf(client)).toEqual([]);
    await expect(submit(40_000)).resolves.toMatchObject({ status: 202 });
    expect(await rowsOf(client)).toHaveLength(100);
  });
});

describeService(
  '@azure/data-tables with an address that makes it send a merge as a POST',
  ({ withTable, service }) => {
    it('merges through X-HTTP-Method next to operations with other verbs', async () => {
      const { name, keys } = service().account;
      const client = new TableClient(
        service().base.replace('127.0.0.1', 'localhost'),
        await withTable(),
        new AzureNamedKeyCredential(name, keys[0] ?? ''),
        { allowInsecureConnection: true },
      );
      await client.submitTransaction(
        ['1', '2', '3'].map((rowKey) => ['create', { partitionKey: 'p', rowKey, kept: 1 }]),
      );

      const { subResponses } = await client.submitTransaction([
        ['update', { partitionKey: 'p', rowKey: '1', own: 2 }, 'Merge'],
        ['update', { partitionKey: 'p', rowKey: '2', own: 2 }, 'Replace'],
        ['delete', { partitionKey: 'p', rowKey: '3' }],
        ['upsert', { partitionKey: 'p', rowKey: '4', own: 2 }, 'Merge'],
      ]);

      expect(subResponses.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
      const rows = [];
      for await (const { rowKey, own, kept } of client.listEntities()) rows.push([rowKey, own, kept]);
      expect(rows).toEqual([
        ['1', 2, 1],
        ['2', 2, undefined],
        ['4', 2, undefined],
      ]);
    });
  },
  { accounts: [{ name: 'shop', keys: [Buffer.from('a key of the shop').toString('base64')] }] },
);
