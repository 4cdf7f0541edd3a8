import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Finding } from '../../../src/insight/coach/finding.js';
import { nameOf } from '../../../src/insight/rules/rule.js';
import { batchTools, insert, read, writeChangeSet } from '../../support/bodies/batch-tools.js';
import { describeService } from '../../support/servers/describe-service.js';

// Some rules count what happens within a second. The clock stands still, so that a slow machine finds the same.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describeService('The coach of a server', ({ client, service, withTable }) => {
  const { sendChangeSet, sendQuery } = batchTools({ client, service });
  const ask = (path: string, init?: RequestInit) => fetch(`${service().url}/_tabularium${path}`, init);
  const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
  const found = async (query = '') => {
    const { findings } = (await (await ask(`/coach${query}`)).json()) as { findings: Finding[] };
    return findings.map((finding) => `${nameOf(finding)} ${finding.severity}`);
  };
  const query = (table: string, filter: string) => client.get(`/${table}?$filter=${encodeURIComponent(filter)}`);

  let table = '';
  beforeEach(async () => {
    table = await withTable();
    for (const [RowKey, LastName] of [
      ['120', 'Smith'],
      ['121', 'Jones'],
      ['322', 'Hall'],
    ]) {
      await client.post(`/${table}`, { PartitionKey: 'Sales', RowKey, LastName });
    }
    await ask('/coach/clear', json);
  });

  it.each([
    // What the guide recommends.
    ["PartitionKey eq 'Sales' and RowKey eq '121'", []],
    ["PartitionKey eq 'Sales' and RowKey ge '1' and RowKey lt '2'", []],
    ["PartitionKey eq 'Sales'", []],
    // What it warns of.
    ["PartitionKey eq 'Sales' and (RowKey eq '121' or RowKey eq '322')", ['partition-scan/or-keys warn']],
    ["LastName eq 'Jones'", ['table-scan/properties-only info']],
    ["RowKey eq '121'", ['table-scan/rowkey-only warn']],
    ["startswith(LastName,'J')", ['rejected-filter warn']],
  ])('finds in %s: %j', async (filter, findings) => {
    await query(table, filter);
    expect(await found()).toEqual(findings);
  });

  it('does not count the requests of its own endpoints', async () => {
    await ask('/requests');
    await ask('/coach');
    expect(await found()).toEqual([]);
  });

  it('sees writes that meet a change', async () => {
    const path = `/${table}(PartitionKey='Sales',RowKey='121')`;
    const { headers } = await client.get(path);
    await client.merge(path, { Age: 1 });
    for (let time = 0; time < 20; time++) await client.merge(path, { Age: 2 }, { ifMatch: headers['etag'] ?? '' });
    expect(await found()).toEqual(['contention warn']);
  });

  it('sees a table that is created again and again', async () => {
    for (let time = 0; time < 20; time++) await client.post('/Tables', { TableName: table });
    expect(await found()).toEqual(['table-churn/create-again info']);
  });

  it('sees what a client does step by step', async () => {
    for (let row = 10; row < 30; row++) await client.post(`/${table}`, { PartitionKey: 'P', RowKey: `r${row}` });
    expect(await found()).toEqual(['single-writes/writes info']);
    await ask('/coach/clear', json);

    for (let row = 10; row < 20; row++) await client.get(`/${table}(PartitionKey='P',RowKey='r${row}')`);
    expect(await found()).toEqual(['n+1/sequence info']);
    await ask('/coach/clear', json);

    for (let age = 0; age < 3; age++) {
      await client.get(`/${table}(PartitionKey='Sales',RowKey='120')`);
      await client.put(`/${table}(PartitionKey='Sales',RowKey='120')`, { Age: age });
    }
    expect(await found()).toEqual(['read-before-write info']);
  });

  it('sees a transaction whose boundary is not in its body, so that it stores nothing', async () => {
    const body = writeChangeSet([insert(table, { PartitionKey: 'P', RowKey: '1' })]);
    const headers = { 'Content-Type': 'multipart/mixed; boundary=another' };
    const ids: (string | undefined)[] = [];
    for (let time = 0; time < 3; time++) {
      const answer = await client.post('/$batch', body, { headers });
      expect(answer.status).toBe(202);
      ids.push(answer.headers['x-ms-request-id']);
    }
    expect(await found()).toEqual(['no-effect/transaction warn']);
    const why = (await (await ask(`/why?id=${ids[1]}`)).json()) as { text: string };
    expect(why.text).toBe('The request succeeded, but it has no operation, so nothing was stored.');
  });

  it('sees no finding in a query and in a write of a batch', async () => {
    await sendChangeSet([insert(table, { PartitionKey: 'P', RowKey: '1' })]);
    await sendQuery(read(`/${table}(PartitionKey='P',RowKey='1')`));
    await sendChangeSet([insert(table, { PartitionKey: 'P', RowKey: '1' })]);
    expect(await found()).toEqual([]);
  });

  it.each(['filter', 'select', 'top', 'Filter'])(
    'sees the option %s without its $, which is ignored',
    async (option) => {
      const { headers } = await client.get(`/${table}?a=b&${option}=A%20eq%201`);
      expect(await found()).toEqual(['no-effect/option warn', 'table-scan/unfiltered info']);
      const why = (await (await ask(`/why?id=${headers['x-ms-request-id']}`)).json()) as { text: string };
      expect(why.text).toContain(`The option ${option} was ignored: its name is $${option.toLowerCase()}.`);
    },
  );

  it('sees a Timestamp that is compared with a text', async () => {
    await query(table, "Timestamp gt '2026-01-31T10:00:00Z'");
    const { findings } = (await (await ask('/coach')).json()) as { findings: Finding[] };
    expect(findings.find(({ rule }) => rule === 'type-mismatch')).toMatchObject({
      note: "Timestamp is stored as a DateTime, and '2026-01-31T10:00:00Z' is a String.",
    });
  });

  it('sees a table whose name was used before', async () => {
    await client.delete(`/Tables('${table}')`);
    await client.post('/Tables', { TableName: table });
    expect(await found()).toEqual(['table-churn/name-reuse info']);
  });

  it('sees tokens that are ignored when no more requests come', async () => {
    for (let from = 0; from < 1001; from += 77) {
      const rows = Array.from({ length: 77 }, (_, at) => `${1000 + from + at}`);
      await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'P', RowKey })));
    }
    await ask('/coach/clear', json);
    const accept = 'application/json;odata=fullmetadata';
    for (let time = 0; time < 3; time++) await client.get(`/${table}?$filter=PartitionKey%20eq%20'P'`, { accept });
    expect(await found()).toEqual(['wide-read/full-metadata info']);
    expect(await found('?ended')).toEqual(['ignored-token warn', 'wide-read/full-metadata info']);
  });

  it.each([
    { form: 'in Atom, because no Accept asks for JSON', accept: false },
    { form: 'with full metadata', accept: 'application/json;odata=fullmetadata' },
  ] as const)('sees lists of 100 entities $form', async ({ accept }) => {
    const rows = Array.from({ length: 100 }, (_, at) => insert(table, { PartitionKey: 'P', RowKey: `${100 + at}` }));
    const list = () => client.get(`/${table}?$filter=PartitionKey%20eq%20'P'`, { accept });
    await sendChangeSet(rows.slice(1));
    await list();
    expect(await found()).toEqual([]);
    await sendChangeSet(rows.slice(0, 1));
    await list();
    expect(await found()).toEqual(['wide-read/full-metadata info']);
  });

  it('is cleared by a change in JSON alone', async () => {
    await query(table, "RowKey eq '121'");
    expect((await ask('/coach/clear', { method: 'POST' })).status).toBe(415);
    expect(await found()).toEqual(['table-scan/rowkey-only warn']);
  });

  it('names the requests that show a finding, whose ids the journal has', async () => {
    const { headers } = await query(table, "RowKey eq '121'");
    const { findings } = (await (await ask('/coach')).json()) as { findings: Finding[] };
    expect(findings[0]).toMatchObject({
      firstRequest: headers['x-ms-request-id'],
      example: "RowKey eq '121'",
      read: 3,
    });
    expect((await ask(`/requests/${findings[0]?.worstRequest}`)).status).toBe(200);
  });
});
