import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium, type TabulariumOptions } from '../../src/index.js';

describe('An instance', () => {
  let instance: Tabularium;
  const start = async (options?: TabulariumOptions) => {
    instance = await startTabularium(options);
    const { connectionString } = instance;
    return TableClient.fromConnectionString(connectionString, 'People', { allowInsecureConnection: true });
  };
  let table: TableClient;
  beforeEach(async () => {
    table = await start();
  });
  afterEach(() => instance.close());

  it('returns the requests of a mark as the control endpoints do', async () => {
    await table.createTable();
    await instance.mark('a test');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const [entry, ...others] = await instance.requests.list({ mark: 'a test' });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ OperationName: 'InsertEntity', Class: 'point', Mark: 'a test' });
    const answer = await fetch(`${instance.url}/_tabularium/requests?mark=a+test`);
    expect(await answer.json()).toMatchObject({ requests: [entry] });
  });

  it('returns what was written between two marks', async () => {
    await table.createTable();
    await instance.mark('a test');
    await table.createEntity({ partitionKey: 'p', rowKey: 'a' });
    await table.deleteEntity('p', 'a');
    await instance.mark('its end');
    await table.createEntity({ partitionKey: 'p', rowKey: 'b' });
    const selection = { since: 'a test', until: 'its end' };
    const changes = await instance.changes.list(selection);
    expect(changes.map(({ kind, rowKey, mark }) => [kind, rowKey, mark])).toEqual([
      ['insert', 'a', 'a test'],
      ['delete', 'a', 'a test'],
    ]);
    expect(await instance.changes.list({ since: changes[1]?.seq ?? 0 })).toMatchObject([{ rowKey: 'b' }]);
    await expect(instance.changes.list({ since: 'no mark' })).rejects.toThrow("There is no mark 'no mark'.");
  });

  it('returns why a request was rejected', async () => {
    await expect(table.getEntity('p', 'r')).rejects.toMatchObject({ statusCode: 404 });
    const [entry] = await instance.requests.list({ status: '4xx' });
    expect(await instance.why(entry?.CorrelationId ?? '')).toMatchObject({
      requestId: entry?.CorrelationId,
      status: 404,
      cause: 'TableNotFound',
    });
  });

  it('explains a filter as the control endpoint does, also without a journal', async () => {
    await instance.close();
    await start({ journal: 0 });
    const explained = await instance.explain("PartitionKey eq 'p'");
    expect(explained).toEqual({
      isRejected: false,
      class: 'partition-scan',
      text: 'Every entity of one partition is read.',
      ranges: ["PartitionKey = 'p'"],
    });
    const answer = await fetch(`${instance.url}/_tabularium/explain`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ filter: "PartitionKey eq 'p'" }),
    });
    expect(await answer.json()).toEqual(explained);
  });

  it('returns what the coach found, until that is cleared', async () => {
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const query = table.listEntities({ queryOptions: { filter: "RowKey eq 'r'" } });
    for await (const _ of query);
    expect((await instance.coach.show()).findings.map(({ rule, cause, table }) => [rule, cause, table])).toEqual([
      ['table-scan', 'rowkey-only', 'People'],
    ]);
    await instance.coach.clear();
    expect(await instance.coach.show()).toMatchObject({ findings: [], usage: { requests: 0 } });
  });

  it('answers its own program even if clients may not ask', async () => {
    await instance.close();
    await (await start({ admin: 'off' })).createTable();
    expect(await instance.requests.list()).toMatchObject([{ OperationName: 'CreateTable' }]);
    expect((await fetch(`${instance.url}/_tabularium/requests`)).status).toBe(404);
  });

  it('follows requests and changes', async () => {
    const [requests, changes] = [await instance.requests.follow(), await instance.changes.follow()];
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const operations: unknown[] = [];
    for await (const line of requests) {
      operations.push('Dropped' in line ? line : line.OperationName);
      if (operations.length === 2) break;
    }
    expect(operations).toEqual(['CreateTable', 'InsertEntity']);
    for await (const line of changes) {
      expect(line).toMatchObject({ kind: 'insert', rowKey: 'r' });
      break;
    }
  });

  it('rejects a selection as the control endpoints do', async () => {
    await expect(instance.requests.list({ class: 'scan' as 'point' })).rejects.toThrow(
      "'class' must be one of: none, point, one-partition,",
    );
  });

  it('without a journal says that it has none', async () => {
    await instance.close();
    await start({ journal: 0 });
    await expect(instance.mark('a test')).rejects.toThrow('The server keeps no journal. Start it without --journal 0.');
  });
});
