import { expect, it } from 'vitest';
import { atomVersion, entryOf, keys } from '../support/answers/atom-tools.js';
import { etagForm, jsonTypeAt } from '../support/answers/expect-answer.js';
import {
  batchTools,
  expectFailure,
  insert,
  read,
  readBatchAnswer,
  remove,
  update,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

/** The headers of an operation by the recorded client, which sends no Accept in it. Source: atom 5. */
const inAtom = ['Accept:', 'Content-Type: application/atom+xml;type=entry'];
const entryType = 'application/atom+xml;type=entry;charset=utf-8';
const outer = { version: atomVersion, accept: 'application/atom+xml,application/xml' } as const;
const staleTag = `If-Match: W/"datetime'2020-01-01T00%3A00%3A00.0000001Z'"`;

describeService('Entity Group Transaction in Atom', (tools) => {
  const { client, service, withTable, withEntity } = tools;
  const { sendChangeSet, sendQuery } = batchTools(tools);
  const rowsOf = async (table: string) => (await client.get(`/${table}`)).rows.map((row) => row['RowKey']);
  const entryFor = (row: string) => entryOf(keys.replace('>r<', `>${row}<`));

  it('F23 answers inserts with entries and the headers in their order', async () => {
    const table = await withTable();
    const parts = ['1', '2'].map((row) => ({
      method: 'POST',
      url: `/${table}`,
      headers: [...inAtom, `Content-ID: ${row}`],
      body: entryFor(row),
    }));

    const answer = await sendChangeSet(parts, outer);

    const [first, second] = readBatchAnswer(answer).parts;
    expect(first?.statusLine).toBe('HTTP/1.1 201 Created');
    expect(first?.headers).toEqual([
      ['DataServiceVersion', '2.0;'],
      ['Content-Type', entryType],
      ['Content-ID', '1'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
      ['Location', `${service().base}/${table}(PartitionKey='p',RowKey='1')`],
      ['ETag', etagForm],
    ]);
    expect(first?.body).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?><entry xml:base="/);
    expect(first?.body).toContain('xmlns:gml=');
    expect(second?.body).toContain('<d:RowKey>2</d:RowKey>');
    expect(await rowsOf(table)).toEqual(['1', '2']);
  });

  it('F4 declares the namespaces that MaxDataServiceVersion of the batch allows', async () => {
    const table = await withTable();
    const part = { method: 'POST', url: `/${table}`, headers: inAtom, body: entryFor('1') };

    const answer = await sendChangeSet([part], { ...outer, headers: { MaxDataServiceVersion: '2.0;NetFx' } });

    const [first] = readBatchAnswer(answer).parts;
    expect(first?.body).toContain('<entry xml:base="');
    expect(first?.body).not.toContain('xmlns:gml=');
  });

  it('F23 takes updates and deletes', async () => {
    const { table, path } = await withEntity({ A: 'x' });
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 's' });
    const merge = { method: 'MERGE', url: path, headers: [...inAtom, 'If-Match: *'], body: entryOf('<d:B>y</d:B>') };

    const answer = await sendChangeSet([merge, remove(path.replace("'r'", "'s'"))], outer);

    const parts = readBatchAnswer(answer).parts;
    expect(parts.map(({ statusLine }) => statusLine)).toEqual(Array(2).fill('HTTP/1.1 204 No Content'));
    expect(Object.fromEntries(parts[0]?.headers ?? [])['DataServiceVersion']).toBe('1.0;');
    expect((await client.get(path)).json).toMatchObject({ A: 'x', B: 'y' });
    expect(await rowsOf(table)).toEqual(['r']);
  });

  it('F24 answers an error in XML, with the Content-ID of the last operation', async () => {
    const { table, path } = await withEntity();
    const put = { method: 'PUT', url: path, headers: [...inAtom, staleTag, 'Content-ID: 1'], body: entryOf('') };
    const other = { ...put, url: path.replace("'r'", "'s'"), headers: [...inAtom, 'Content-ID: 2'] };

    const answer = await sendChangeSet([put, other], outer);

    expectFailure(answer, {
      status: '412 Precondition Failed',
      code: 'UpdateConditionNotSatisfied',
      message: '0:The update condition specified in the request was not satisfied.',
      set: 'B2',
      contentId: '2',
      xml: true,
    });
    expect(await rowsOf(table)).toEqual(['r']);
  });

  it('F25 answers each operation in its own format, which the format of the batch does not change', async () => {
    const table = await withTable();

    for (const [at, accept] of ([false, 'application/json', '*/*'] as const).entries()) {
      const parts = [
        insert(table, { PartitionKey: 'p', RowKey: `${at}.1` }, 'Accept:'),
        insert(table, { PartitionKey: 'p', RowKey: `${at}.2` }, 'Accept: application/json;odata=nometadata'),
      ];
      const answer = await sendChangeSet(parts, { accept });
      const types = readBatchAnswer(answer).parts.map(({ headers }) => Object.fromEntries(headers)['Content-Type']);
      expect(types).toEqual([entryType, jsonTypeAt('nometadata')]);
    }
  });

  it('F25 stores nothing if one entry of several cannot be read', async () => {
    const table = await withTable();
    const part = { method: 'POST', url: `/${table}`, headers: inAtom };

    const answer = await sendChangeSet(
      [
        { ...part, body: entryFor('1') },
        { ...part, body: '<entry>' },
      ],
      outer,
    );

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: '1:One of the request inputs is not valid.',
      set: 'B1',
      xml: true,
    });
    expect(await rowsOf(table)).toEqual([]);
  });

  it('answers a query with an entry or a feed', async () => {
    const { table, path, etag } = await withEntity();

    const [one] = readBatchAnswer(await sendQuery(read(path, 'Accept:'))).parts;
    const [all] = readBatchAnswer(await sendQuery(read(`/${table}()`, 'Accept:'))).parts;

    expect(Object.fromEntries(one?.headers ?? [])).toMatchObject({ 'Content-Type': entryType, ETag: etag });
    expect(all?.body).toContain('<feed xml:base="');
  });

  it('rejects Atom at a newer version, in the part', async () => {
    const { path } = await withEntity();
    const part = update('PUT', path, {}, ...inAtom);

    const answer = await sendChangeSet([part]);

    expectFailure(answer, {
      status: '415 Unsupported Media Type',
      code: 'AtomFormatNotSupported',
      message: '0:Atom format is not supported.',
      set: 'B1',
      xml: true,
    });
  });
});
