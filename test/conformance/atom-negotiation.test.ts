import { expect, it } from 'vitest';
import { atomVersion } from '../support/answers/atom-tools.js';
import { jsonTypeAt } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const entryType = 'application/atom+xml;type=entry;charset=utf-8';
const versions = ['2011-08-18', atomVersion, '2015-12-11', '2019-02-02', '2026-06-06'];
const json = 'application%2Fjson%3Bodata%3D';

describeService('The format of an answer', ({ client, withTable, withEntity }) => {
  it.each(
    versions.flatMap((version) =>
      ([false, '*/*', '', ' */* ', '*/*;q=0.8'] as const).map((accept) => [version, accept] as const),
    ),
  )('F17 is Atom at version %s with Accept: %s', async (version, accept) => {
    const { table, path } = await withEntity();

    const read = await client.get(path, { version, accept });
    const created = await client.post('/Tables', { TableName: `${table}New` }, { version, accept });

    expect([read.status, created.status]).toEqual([200, 201]);
    expect([read.headers['content-type'], created.headers['content-type']]).toEqual([entryType, entryType]);
  });

  it.each([
    'application/atom+xml',
    'application/atom+xml,application/xml',
    'application/xml',
    'text/html, application/xml;q=0.9',
    'Application/Atom+Xml;type=entry',
  ])('F18 is Atom before version 2015-12-11 with Accept: %s', async (accept) => {
    const { path } = await withEntity();

    for (const version of ['2011-08-18', atomVersion, '2015-07-08']) {
      expect((await client.get(path, { version, accept })).headers['content-type']).toBe(entryType);
    }
    expect((await client.get(path, { version: '2015-12-11', accept })).status).toBe(415);
  });

  it.each([
    ['application/json', 'minimalmetadata'],
    ['application/json;odata=fullmetadata, */*', 'fullmetadata'],
    ['*/*, application/json;odata=nometadata', 'nometadata'],
    ['application/atom+xml, application/json', 'minimalmetadata'],
    ['application/xml;q=0.1, application/json; odata=nometadata', 'nometadata'],
  ])('F19 is JSON if a list names it, as in Accept: %s', async (accept, level) => {
    const { path } = await withEntity();

    for (const version of [atomVersion, '2019-02-02']) {
      expect((await client.get(path, { version, accept })).headers['content-type']).toBe(jsonTypeAt(level));
    }
  });

  it.each([false, '*/*'] as const)('F20 is that of $format with Accept: %s, also for errors', async (accept) => {
    const { path } = await withEntity();

    for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata']) {
      const query = `?$format=${json}${level}`;
      const [read, missing] = [
        await client.get(`${path}${query}`, { accept }),
        await client.get(`${path.replace("'r'", "'missing'")}${query}`, { accept }),
      ];
      expect(read.headers['content-type']).toBe(jsonTypeAt(level));
      expect([missing.status, missing.headers['content-type']]).toEqual([404, jsonTypeAt(level)]);
    }
  });

  it('F20 is Atom if $format names it at an old version, whatever the Accept', async () => {
    const { path } = await withEntity();

    const answer = await client.get(`${path}?$format=application%2Fatom%2Bxml`, { version: atomVersion });

    expect(answer.headers['content-type']).toBe(entryType);
  });

  it('F21 does not depend on the type of the body', async () => {
    const { table, path } = await withEntity();
    const headers = { 'Content-Type': 'application/atom+xml' };

    const read = await client.get(path, { accept: 'application/json', headers });
    const removed = await client.delete(path, { accept: false, ifMatch: '*', headers });
    const inserted = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { accept: false });

    expect(read.headers['content-type']).toBe(jsonTypeAt('minimalmetadata'));
    expect([removed.status, inserted.headers['content-type']]).toEqual([204, entryType]);
  });

  it.each([
    [false, atomVersion],
    ['*/*', atomVersion],
    [false, '2019-02-02'],
    ['*/*', '2019-07-07'],
  ] as const)('F22 is XML for errors with Accept: %s at version %s', async (accept, version) => {
    const { table, path } = await withEntity();
    const missing = path.replace("'r'", "'missing'");
    const stale = `W/"datetime'2020-01-01T00%3A00%3A00.0000001Z'"`;
    const options = { accept, version };

    expectTableError(await client.get(missing, options), 404, 'ResourceNotFound');
    expectTableError(await client.delete(missing, { ...options, ifMatch: '*' }), 404, 'ResourceNotFound');
    expectTableError(await client.put(path, {}, { ...options, ifMatch: stale }), 412, 'UpdateConditionNotSatisfied');
    expectTableError(await client.merge(path, {}, { ...options, ifMatch: stale }), 412, 'UpdateConditionNotSatisfied');
    expectTableError(await client.delete(path, { ...options, ifMatch: stale }), 412, 'UpdateConditionNotSatisfied');
    expectTableError(await client.delete("/Tables('missing')", options), 404, 'ResourceNotFound');
    const again = { PartitionKey: 'p', RowKey: 'r' };
    expectTableError(await client.post(`/${table}`, again, options), 409, 'EntityAlreadyExists');
    expectTableError(await client.post('/Tables', { TableName: table }, options), 409, 'TableAlreadyExists');
    expectTableError(await client.post('/Tables', { TableName: '\u554a\u9f44' }, options), 400, 'OutOfRangeInput', {
      message: /name length/,
    });
    expectTableError(await client.get('/missing', options), 404, 'TableNotFound', { set: 'B1' });
    expectTableError(await client.get(`/${table}?$filter=A%20eq`, options), 400, 'InvalidInput', {
      set: 'B1',
      message: /position/,
    });
    expectTableError(await client.put('/Tables', {}, options), 405, 'MethodNotAllowed', { set: 'B1' });
  });

  it('F22 is escaped in the text of an error', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}?$filter=%3Cb%3E%20%26%20c`, { accept: false });

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: /'<' is not valid at position 0 in '<b> & c'/,
    });
  });
});
