import { beforeEach, expect, it } from 'vitest';
import type { Finding } from '../../src/insight/coach/finding.js';
import type { Answer } from '../support/answers/answer.js';
import { batchTools, insert, read, remove } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('A transaction on a table', ({ client, service, withTable }) => {
  const { sendChangeSet, sendQuery } = batchTools({ client, service });
  const ask = async <T>(path: string) => (await (await fetch(`${service().url}/_tabularium${path}`)).json()) as T;
  const idOf = ({ headers }: Answer) => headers['x-ms-request-id'] ?? '';
  const rows = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(4, '0'));
  const keys = (RowKey: string) => ({ PartitionKey: 'p', RowKey });

  let table = '';
  beforeEach(async () => {
    table = await withTable();
    await fetch(`${service().url}/_tabularium/coach/clear`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
    });
  });

  it('is listed with the requests of the table, done or failed, and so are its creation and a query in a batch', async () => {
    const done = await sendChangeSet([insert(table, keys('1'))]);
    const failed = await sendChangeSet([insert(table, keys('2')), insert(table, keys('1'))]);
    const query = await sendQuery(read(`/${table}(PartitionKey='p',RowKey='1')`));
    const again = await client.post('/Tables', { TableName: table });
    const listed = await ask<{ requests: { CorrelationId: string; OperationName: string; ObjectKey: string }[] }>(
      `/requests?table=${table.toUpperCase()}`,
    );
    expect(listed.requests.map(({ OperationName }) => OperationName)).toEqual([
      ...['CreateTable', 'EntityGroupTransaction', 'EntityGroupTransaction', 'EntityGroupTransaction', 'CreateTable'],
    ]);
    expect(listed.requests.slice(1).map(({ CorrelationId }) => CorrelationId)).toEqual(
      [done, failed, query, again].map(idOf),
    );
    for (const { ObjectKey } of listed.requests) expect(ObjectKey).toMatch(new RegExp(`/${table}$`));
  });

  it('is shown with its operations', async () => {
    await client.post(`/${table}`, keys('old'));
    const done = await sendChangeSet([insert(table, keys('1')), remove(`/${table}(PartitionKey='p',RowKey='old')`)]);
    await client.post(`/${table}`, keys('2'));
    const { changes } = await ask<{ changes: { kind: string; rowKey: string; table: string }[] }>(
      `/requests/${idOf(done)}`,
    );
    expect(changes.map((one) => `${one.kind} ${one.table} ${one.rowKey}`)).toEqual([
      `insert ${table} 1`,
      `delete ${table} old`,
    ]);
  });

  it('counts as one call of a finding, whose table keeps its capitals and whose requests are those that showed it', async () => {
    const all = rows(1000);
    const transactions = Array.from({ length: 10 }, (_, at) => all.slice(at * 100, at * 100 + 100));
    const inserts: Answer[] = [];
    for (const some of transactions) inserts.push(await sendChangeSet(some.map((row) => insert(table, keys(row)))));
    await client.get(`/${table}?$filter=PartitionKey%20eq%20'p'%20and%20A%20gt%205`);
    for (const some of transactions) {
      await sendChangeSet(some.map((row) => remove(`/${table}(PartitionKey='p',RowKey='${row}')`)));
    }
    const last = await sendChangeSet([insert(table, keys('last'))]);
    const { findings } = await ask<{ findings: Finding[] }>('/coach');
    const written = findings.filter(({ class: name }) => name === undefined);
    expect(written).toEqual([
      expect.objectContaining({
        ...{ rule: 'hot-partition', severity: 'info', table, calls: 21 },
        ...{ firstRequest: idOf(inserts[0] as Answer), worstRequest: idOf(last) },
      }),
    ]);
  });
});
