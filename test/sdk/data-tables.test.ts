import { odata, type TableClient } from '@azure/data-tables';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { all } from '../support/answers/sdk-answers.js';
import { endpointStyles, type SdkClients, sdkClients, sdkRejection } from '../support/clients/sdk-clients.js';
import { type RunningService, startService } from '../support/servers/start-service.js';

describe.each(endpointStyles)('@azure/data-tables, account in the %s:', (style) => {
  let service: RunningService;
  let clients: SdkClients;
  let table: TableClient;
  let tables = 0;
  beforeAll(async () => {
    service = await startService();
    clients = sdkClients(service, style);
  });
  beforeEach(async () => {
    table = clients.table(`Table${++tables}`);
    await table.createTable();
  });
  afterEach(() => {
    expect(service.takeLoggedErrors()).toEqual([]);
  });
  afterAll(async () => {
    clients.close();
    await service.close();
  });

  describe('tables', () => {
    it('are created, listed and deleted', async () => {
      const client = clients.service();
      await client.createTable('Listed');
      const named = await all(client.listTables({ queryOptions: { filter: odata`TableName eq ${'Listed'}` } }));
      expect(named.map(({ name }) => name)).toEqual(['Listed']);
      await client.deleteTable('Listed');
      expect((await all(client.listTables())).map(({ name }) => name)).not.toContain('Listed');
    });

    it('are created twice and deleted twice without an error', async () => {
      await table.createTable();
      await table.deleteTable();
      await table.deleteTable();
      expect(await sdkRejection(all(table.listEntities()))).toEqual({ statusCode: 404, code: 'TableNotFound' });
    });

    it('are listed in pages', async () => {
      const client = clients.service();
      for (let at = 0; at < 5; at++) await client.createTable(`Paged${at}`);
      const filter = odata`TableName ge ${'Paged'} and TableName lt ${'Pagee'}`;
      const pages = await all(client.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 2 }));
      expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
        ['Paged0', 'Paged1'],
        ['Paged2', 'Paged3'],
        ['Paged4'],
      ]);
    });
  });

  describe('an entity', () => {
    const key = { partitionKey: 'p', rowKey: 'r' };

    it('keeps values of every type', async () => {
      const entity = {
        ...key,
        text: 'naïve "quotes" \\ 你好 😀',
        yes: true,
        int: -2147483648,
        double: 1.5,
        whole: { type: 'Double', value: '3' },
        nan: { type: 'Double', value: 'NaN' },
        big: 9007199254740993n,
        when: new Date('2026-11-21T01:02:03.450Z'),
        bytes: Buffer.from([0, 1, 254, 255]),
        id: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
      };
      await table.createEntity(entity);
      const found = await table.getEntity('p', 'r');
      expect(found).toMatchObject({ ...entity, whole: 3, nan: 'NaN' });
      const raw = await table.getEntity('p', 'r', { disableTypeConversion: true });
      expect(raw).toMatchObject({
        big: { type: 'Int64', value: '9007199254740993' },
        when: { type: 'DateTime', value: '2026-11-21T01:02:03.45Z' },
        bytes: { type: 'Binary', value: 'AAH+/w==' },
        nan: { type: 'Double', value: 'NaN' },
      });
    });

    it('drops null and undefined', async () => {
      await table.createEntity({ ...key, nothing: null, missing: undefined, some: 1 });
      const names = Object.keys(await table.getEntity('p', 'r'));
      expect(names).toEqual(['odata.metadata', 'etag', 'partitionKey', 'rowKey', 'timestamp', 'some']);
    });

    it('is created once', async () => {
      await table.createEntity(key);
      expect(await sdkRejection(table.createEntity(key))).toEqual({ statusCode: 409, code: 'EntityAlreadyExists' });
    });

    it('is not found when it is missing', async () => {
      const missing = { statusCode: 404, code: 'ResourceNotFound' };
      expect(await sdkRejection(table.getEntity('p', 'r'))).toEqual(missing);
      expect(await sdkRejection(table.updateEntity(key))).toEqual(missing);
      expect(await sdkRejection(table.deleteEntity('p', 'r'))).toEqual(missing);
    });

    it('is merged and replaced', async () => {
      await table.createEntity({ ...key, a: 1, b: 1 });
      await table.updateEntity({ ...key, b: 2, c: 2 }, 'Merge');
      expect(await table.getEntity('p', 'r')).toMatchObject({ a: 1, b: 2, c: 2 });
      await table.updateEntity({ ...key, d: 3 }, 'Replace');
      const replaced = await table.getEntity('p', 'r');
      expect(replaced).toMatchObject({ d: 3 });
      expect(replaced).not.toHaveProperty('a');
    });

    it('is upserted, whether it exists or not', async () => {
      await table.upsertEntity({ ...key, a: 1 }, 'Merge');
      await table.upsertEntity({ ...key, b: 2 }, 'Merge');
      expect(await table.getEntity('p', 'r')).toMatchObject({ a: 1, b: 2 });
      await table.upsertEntity({ ...key, c: 3 }, 'Replace');
      expect(await table.getEntity('p', 'r')).not.toHaveProperty('a');
      await table.upsertEntity({ ...key, rowKey: 'new', c: 3 }, 'Replace');
      expect(await table.getEntity('p', 'new')).toMatchObject({ c: 3 });
    });

    it('changes with its current tag, and not with an old one', async () => {
      const conflict = { statusCode: 412, code: 'UpdateConditionNotSatisfied' };
      await table.createEntity({ ...key, a: 1 });
      const { etag } = await table.getEntity('p', 'r');
      const updated = await table.updateEntity({ ...key, a: 2 }, 'Replace', { etag });
      expect(updated.etag).not.toBe(etag);
      expect(await sdkRejection(table.updateEntity({ ...key, a: 3 }, 'Replace', { etag }))).toEqual(conflict);
      expect(await sdkRejection(table.updateEntity({ ...key, a: 3 }, 'Merge', { etag }))).toEqual(conflict);
      expect(await sdkRejection(table.deleteEntity('p', 'r', { etag }))).toEqual(conflict);
      expect(await table.getEntity('p', 'r')).toMatchObject({ a: 2, etag: updated.etag });
      await table.deleteEntity('p', 'r', { etag: updated.etag ?? '' });
      expect(await sdkRejection(table.getEntity('p', 'r'))).toMatchObject({ statusCode: 404 });
    });

    it.each([
      "it's",
      "''",
      'two words',
      ' ',
      '%',
      '%27',
      'a+b',
      'a&b=c',
      'a,b;c',
      '(x)',
      'a:b@c',
      'naïve 你好 😀',
      '"<>|`^{}[]',
      "','RowKey='",
      '',
    ])('can have the keys %j', async (special) => {
      const keys = { partitionKey: special, rowKey: `${special}${special}` };
      await table.createEntity({ ...keys, a: 1 });
      expect(await table.getEntity(keys.partitionKey, keys.rowKey)).toMatchObject({ ...keys, a: 1 });
      await table.updateEntity({ ...keys, a: 2 }, 'Merge');
      const filter = odata`PartitionKey eq ${keys.partitionKey} and RowKey eq ${keys.rowKey}`;
      const found = await all(table.listEntities({ queryOptions: { filter } }));
      expect(found).toMatchObject([{ ...keys, a: 2 }]);
      await table.deleteEntity(keys.partitionKey, keys.rowKey);
      expect(await all(table.listEntities())).toEqual([]);
    });
  });

  describe('a query', () => {
    const day = (date: number) => new Date(Date.UTC(2026, 0, date));
    const id = (digit: number) => `0000000${digit}-0000-0000-0000-000000000000`;
    beforeEach(async () => {
      for (let at = 1; at <= 5; at++) {
        await table.createEntity({
          partitionKey: at < 4 ? 'low' : 'high',
          rowKey: `r${at}`,
          text: `text ${at}`,
          odd: at % 2 === 1,
          int: at,
          double: at + 0.5,
          big: BigInt(at) * 10_000_000_000n,
          when: day(at),
          id: { type: 'Guid', value: id(at) },
        });
      }
    });

    it.each([
      ['', ['r4', 'r5', 'r1', 'r2', 'r3']],
      [odata`PartitionKey eq ${'low'}`, ['r1', 'r2', 'r3']],
      [odata`PartitionKey eq ${'low'} and RowKey gt ${'r1'}`, ['r2', 'r3']],
      [odata`text eq ${'text 2'}`, ['r2']],
      [odata`odd eq ${true} and int gt ${1}`, ['r5', 'r3']],
      [odata`not (odd eq ${true})`, ['r4', 'r2']],
      [odata`double lt ${2.75}`, ['r1', 'r2']],
      [odata`big ge ${40_000_000_000n}L`, ['r4', 'r5']],
      [odata`when le ${day(2)}`, ['r1', 'r2']],
      [`id gt guid'${id(3)}'`, ['r4', 'r5']],
      [odata`int eq ${1} or int eq ${5}`, ['r5', 'r1']],
      [odata`missing eq ${1}`, []],
    ])('with the filter %s finds its rows, in key order', async (filter, rowKeys) => {
      const found = await all(table.listEntities({ queryOptions: { filter } }));
      expect(found.map(({ rowKey }) => rowKey)).toEqual(rowKeys);
    });

    it('with a bigint is rejected: the SDK writes digits without an L, which the service reads as an Int32', async () => {
      const filter = odata`big ge ${40_000_000_000n}`;
      await expect(all(table.listEntities({ queryOptions: { filter } }))).rejects.toMatchObject({
        statusCode: 400,
        message: expect.stringContaining("Unrecognized 'Edm.Int32' literal '40000000000' at '7' in"),
      });
    });

    it('selects properties', async () => {
      const select = ['rowKey', 'int', 'missing'];
      const [first] = await all(table.listEntities({ queryOptions: { select, filter: odata`RowKey eq ${'r1'}` } }));
      expect(first).toEqual({ etag: expect.stringContaining('W/'), rowKey: 'r1', int: 1, missing: null });
      expect(await table.getEntity('low', 'r1', { queryOptions: { select: ['int'] } })).not.toHaveProperty('text');
    });

    it('with an invalid filter is rejected', async () => {
      const call = all(table.listEntities({ queryOptions: { filter: 'int eq' } }));
      expect(await sdkRejection(call)).toEqual({ statusCode: 400, code: 'InvalidInput' });
    });
  });

  it('pages through 2,500 entities, and continues from a token', async () => {
    const rowKeys = Array.from({ length: 2500 }, (_, at) => String(at).padStart(4, '0'));
    for (let at = 0; at < rowKeys.length; at += 100) {
      const group = rowKeys.slice(at, at + 100);
      await table.submitTransaction(group.map((rowKey) => ['create', { partitionKey: 'p', rowKey }]));
    }
    const rowKeysOf = (page: readonly { rowKey?: string }[]) => page.map(({ rowKey }) => rowKey);

    expect(rowKeysOf(await all(table.listEntities()))).toEqual(rowKeys);
    const byDefault = await all(table.listEntities().byPage());
    expect(byDefault.map((page) => page.length)).toEqual([1000, 1000, 500]);
    const [first] = await all(table.listEntities().byPage({ maxPageSize: 400 }));
    const continuationToken = (first as { continuationToken?: string }).continuationToken ?? '';
    const rest = await all(table.listEntities().byPage({ maxPageSize: 700, continuationToken }));
    expect(rest.map((page) => page.length)).toEqual([700, 700, 700]);
    expect([...rowKeysOf(first ?? []), ...rest.flatMap(rowKeysOf)]).toEqual(rowKeys);
  });
});
