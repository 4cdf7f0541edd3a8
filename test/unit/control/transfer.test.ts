import { expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('Imports and exports of a server', ({ client, service, withTable }) => {
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${service().url}/_tabularium${path}`, init);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const post = async (query: string, body: string, type = 'application/x-ndjson') => {
    const { status, text } = await send(`/import?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });
    return {
      status,
      lines: text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  };
  const rowAt = (at: number) => `{"PartitionKey":"p","RowKey":"r${at}"}`;

  it('import a body and answer with the progress and a report', async () => {
    const table = await withTable();
    const rows = Array.from({ length: 6000 }, (_, at) => rowAt(at));
    const { status, lines } = await post('', [`{"$table":"${table}"}`, ...rows].join('\n'));
    expect(status).toBe(200);
    expect(lines).toEqual([
      { rows: 5000 },
      { done: true, rows: 6000, tables: 1, rejectedRows: 0, rejected: [], ms: expect.any(Number) },
    ]);
    expect((await client.get(`/${table}(PartitionKey='p',RowKey='r5999')`)).status).toBe(200);
  });

  it('report rejected rows', async () => {
    const table = await withTable();
    const { lines } = await post(`table=${table}`, `${rowAt(1)}\n${rowAt(1)}\n`);
    expect(lines.at(-1)).toMatchObject({ rows: 1, rejected: [{ line: 2, code: 'EntityAlreadyExists' }] });
  });

  it('end with an error if the data cannot be read', async () => {
    const { status, lines } = await post('', rowAt(1));
    expect([status, lines]).toEqual([
      200,
      [
        {
          done: false,
          error:
            'Line 1 does not belong to a table, because no earlier line names one. Name the table with --table (in a program: table).',
        },
      ],
    ]);
  });

  it.each([
    ['import?mode=upsert', "'mode' must be one of: insert, replace, merge; got 'upsert'."],
    ['import?format=xml', "'format' must be one of: ndjson, json, csv; got 'xml'."],
    ['import?strict=1', "'strict' must be true or false; got '1'."],
    ['import?tabel=T', "There is no 'tabel'. Did you mean 'table'?"],
  ])('reject %s', async (path, error) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { status, text } = await send(`/${path}`, { method: 'POST', headers, body: rowAt(1) });
    expect([status, JSON.parse(text)]).toEqual([400, { error }]);
  });

  it('reject a body that a form could send', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    expect((await send('/import', { method: 'POST', headers, body: rowAt(1) })).status).toBe(415);
  });

  it('reject a body that is compressed', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };
    const { status, text } = await send('/import', { method: 'POST', headers, body: rowAt(1) });
    const error = 'The body has a Content-Encoding. Send it uncompressed.';
    expect([status, JSON.parse(text)]).toEqual([400, { error }]);
  });

  it('export what a filter finds', async () => {
    const table = await withTable();
    for (const RowKey of ['a', 'b']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey, N: RowKey });
    const query = new URLSearchParams({ table, filter: "RowKey eq 'b'" });
    expect(await send(`/export?${query}`)).toEqual({
      status: 200,
      type: 'application/x-ndjson; charset=utf-8',
      text: `{"$table":"${table}"}\n{"PartitionKey":"p","RowKey":"b","N":"b"}\n`,
    });
  });

  it.each([
    ['export?table=Missing', 404, 'There is no table Missing.'],
    ['export?account=missing', 404, 'There is no account missing. The accounts are: devstoreaccount1.'],
    ['export?filter=N%20eq', 400, "Expression expected at position 4 in 'N eq'."],
    ['export?format=xml', 400, "'format' must be one of: ndjson, json, csv; got 'xml'."],
  ])('reject %s', async (path, status, error) => {
    const answer = await send(`/${path}`);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
  });
});
