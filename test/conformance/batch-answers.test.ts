import { expect, it } from 'vitest';
import { etagForm, jsonTypeAt } from '../support/answers/expect-answer.js';
import {
  batchTools,
  expectParts,
  insert,
  read,
  readBatchAnswer,
  remove,
  update,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const noContent = 'Prefer: return-no-content';

describeService('Entity Group Transaction, parts of the answer', (tools) => {
  const { client, withTable, withEntity, service } = tools;
  const { sendChangeSet, sendQuery } = batchTools(tools);

  it('B1 answers an insert that prefers no content with its address and tag', async () => {
    const table = await withTable();
    const parts = ['1', '2', '3'].map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent));

    const answer = await sendChangeSet(parts);

    const { inChangeSet, parts: answered } = readBatchAnswer(answer);
    expect(inChangeSet).toBe(true);
    expect(answered).toHaveLength(3);
    for (const [at, part] of answered.entries()) {
      const place = `${service().base}/${table}(PartitionKey='p',RowKey='${at + 1}')`;
      expect(part.statusLine).toBe('HTTP/1.1 204 No Content');
      expect(part.headers).toEqual([
        ['X-Content-Type-Options', 'nosniff'],
        ['Cache-Control', 'no-cache'],
        ['Preference-Applied', 'return-no-content'],
        ['DataServiceVersion', '3.0;'],
        ['Location', place],
        ['DataServiceId', place],
        ['ETag', etagForm],
      ]);
      expect(part.body).toBe('');
    }
  });

  it('B2 answers an insert without a preference with the entity', async () => {
    const table = await withTable();

    const answer = await sendChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r', A: 1 })]);

    const [part] = expectParts(answer, ['201 Created']);
    expect(part?.headers).toEqual([
      ['DataServiceVersion', '3.0;'],
      ['Content-Type', jsonTypeAt('minimalmetadata')],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
      ['Location', `${service().base}/${table}(PartitionKey='p',RowKey='r')`],
      ['ETag', etagForm],
    ]);
    expect(part?.json).toEqual({
      'odata.metadata': `${service().base}/$metadata#${table}/@Element`,
      'odata.etag': etagForm,
      PartitionKey: 'p',
      RowKey: 'r',
      Timestamp: expect.any(String),
      A: 1,
    });
  });

  it('writes Preference-Applied and Content-ID also in a part with an entity', async () => {
    const table = await withTable();
    const asked = insert(table, { PartitionKey: 'p', RowKey: 'r' }, 'Prefer: return-content', 'Content-ID: 7');

    const [part] = expectParts(await sendChangeSet([asked]), ['201 Created']);

    expect(part?.headers.map(([name, value]) => (name === 'ETag' || name === 'Location' ? name : value))).toEqual([
      '3.0;',
      jsonTypeAt('minimalmetadata'),
      '7',
      'nosniff',
      'no-cache',
      'return-content',
      'Location',
      'ETag',
    ]);
  });

  it.each([
    ['the Accept of an operation', '', 'Accept: application/json;odata=nometadata', 'nometadata'],
    ['the $format of its URL', '?$format=application%2Fjson%3Bodata%3Dfullmetadata', 'Accept: */*', 'fullmetadata'],
  ])('writes the entity at the level that %s names', async (_, query, accept, level) => {
    const table = await withTable();

    const answer = await sendChangeSet([insert(`${table}${query}`, { PartitionKey: 'p', RowKey: 'r' }, accept)]);

    const [part] = expectParts(answer, ['201 Created']);
    expect(part?.headers[1]).toEqual(['Content-Type', jsonTypeAt(level)]);
    expect('odata.type' in (part?.json ?? {})).toBe(level === 'fullmetadata');
    expect('odata.metadata' in (part?.json ?? {})).toBe(level !== 'nometadata');
  });

  it('B3 answers updates with the new tag and deletes without one', async () => {
    const { table, path } = await withEntity();
    for (const RowKey of ['1', '2', '3', '4']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });
    const at = (row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;

    const answer = await sendChangeSet([
      update('PUT', at('1'), { A: 1 }, 'If-Match: *'),
      update('MERGE', at('2'), { A: 1 }, 'If-Match: *'),
      update('PATCH', at('3'), { A: 1 }, 'If-Match: *'),
      update('PUT', at('new'), { A: 1 }),
      remove(path),
      { ...update('PUT', at('4'), { A: 1 }, 'X-HTTP-Method: MERGE', 'If-Match: *'), method: 'POST' },
    ]);

    const parts = expectParts(answer, Array(6).fill('204 No Content'));
    const shared = [
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
      ['DataServiceVersion', '1.0;'],
    ];
    for (const [index, part] of parts.entries()) {
      expect(part.headers).toEqual(index === 4 ? shared : [...shared, ['ETag', etagForm]]);
      expect(part.body).toBe('');
    }
    const rows = (await client.get(`/${table}`)).rows;
    expect(rows.map((row) => [row['RowKey'], row['A']])).toEqual(['1', '2', '3', '4', 'new'].map((row) => [row, 1]));
  });

  it('writes into each part the new tag of its entity', async () => {
    const { path, table } = await withEntity();
    const other = `/${table}(PartitionKey='p',RowKey='s')`;

    const answer = await sendChangeSet([
      update('PUT', path, { A: 1 }, 'If-Match: *'),
      insert(table, { PartitionKey: 'p', RowKey: 's' }, noContent),
    ]);

    const tags = expectParts(answer, ['204 No Content', '204 No Content']).map(
      ({ headers }) => Object.fromEntries(headers)['ETag'],
    );
    expect(tags).toEqual([(await client.get(path)).headers['etag'], (await client.get(other)).headers['etag']]);
  });

  it('B4 repeats the Content-ID of an operation as the first header of its part', async () => {
    const { table, path } = await withEntity();

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: '1' }, noContent, 'Content-ID: 0'),
      update('MERGE', path, { A: 1 }, 'content-id: two words'),
      insert(table, { PartitionKey: 'p', RowKey: '3' }, noContent),
    ]);

    const parts = expectParts(answer, Array(3).fill('204 No Content'));
    expect(parts.map(({ headers }) => headers[0])).toEqual([
      ['Content-ID', '0'],
      ['Content-ID', 'two words'],
      ['X-Content-Type-Options', 'nosniff'],
    ]);
  });

  it('B5 does not repeat the Content-ID of a MIME part', async () => {
    const table = await withTable();
    const asked = insert(table, { PartitionKey: 'p', RowKey: '1' }, noContent);

    const answer = await sendChangeSet([{ ...asked, partHeaders: ['Content-ID: 1'] }]);

    const [part] = expectParts(answer, ['204 No Content']);
    expect(part?.headers[0]).toEqual(['X-Content-Type-Options', 'nosniff']);
    expect(answer.body).not.toMatch(/content-id/i);
  });

  it('B20 answers a read of one entity directly in the batch, without a change set', async () => {
    const { path, etag, table } = await withEntity({ A: 'x' });

    const answer = await sendQuery(read(path));

    const batch = readBatchAnswer(answer);
    expect(batch.inChangeSet).toBe(false);
    expect(batch.parts).toHaveLength(1);
    expect(batch.parts[0]?.statusLine).toBe('HTTP/1.1 200 OK');
    expect(batch.parts[0]?.headers).toEqual([
      ['DataServiceVersion', '3.0;'],
      ['Content-Type', jsonTypeAt('minimalmetadata')],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
      ['ETag', etag],
    ]);
    expect(batch.parts[0]?.json).toMatchObject({
      'odata.metadata': `${service().base}/$metadata#${table}/@Element`,
      PartitionKey: 'p',
      A: 'x',
    });
  });

  it('answers a query of a table directly in the batch, without a change set', async () => {
    const { table } = await withEntity();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 's' });

    const answer = await sendQuery(read(`/${table}()?$filter=RowKey%20eq%20%27s%27&$select=RowKey`));

    const [part] = expectParts(answer, ['200 OK']);
    expect(part?.json['value']).toEqual([{ 'odata.etag': etagForm, RowKey: 's' }]);
    expect(part?.headers.map(([name]) => name)).not.toContain('ETag');
  });

  it('B28 keeps the written order of inserted properties and sorts updated ones', async () => {
    const { table, path } = await withEntity({});

    const answer = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: 'kept', z: 1, a: 2 }, noContent),
      update('PATCH', path, { z: 1, a: 2 }),
    ]);

    expectParts(answer, ['204 No Content', '204 No Content']);
    const own = (row: object | undefined) => Object.keys(row ?? {}).filter((name) => name.length === 1);
    const [kept, sorted] = (await client.get(`/${table}`)).rows;
    expect([own(kept), own(sorted)]).toEqual([
      ['z', 'a'],
      ['a', 'z'],
    ]);
  });

  it('B16 stores a hundred operations and answers them in the order of the request', async () => {
    const table = await withTable();
    const rows = Array.from({ length: 100 }, (_, index) => String((index * 37) % 100).padStart(2, '0'));

    const answer = await sendChangeSet(rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }, noContent)));

    const parts = expectParts(answer, Array(100).fill('204 No Content'));
    const keys = parts.map(({ headers }) => /RowKey='(\d\d)'/.exec(Object.fromEntries(headers)['Location'] ?? '')?.[1]);
    expect(keys).toEqual(rows);
    const stored = (await client.get(`/${table}`)).rows;
    expect(stored.map((row) => row['RowKey'])).toEqual([...rows].sort());
    // All within about a millisecond, but no two are equal.
    expect(new Set(stored.map((row) => row['Timestamp'])).size).toBe(100);
  });
});
