import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import {
  batchBoundary,
  batchTools,
  expectFailure,
  expectParts,
  insert,
  type PartRequest,
  read,
  readBatchAnswer,
  remove,
  writeBare,
  writeChangeSet,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const noContent = 'Prefer: return-no-content';
const three = ['1', '2', '3'];

describeService('Entity Group Transaction, format of the body', (tools) => {
  const { client, withTable, withEntity, service } = tools;
  const { sendBody, sendChangeSet } = batchTools(tools);
  const insertsInto = (table: string) =>
    three.map((RowKey) => insert(`/${table}`.slice(1), { PartitionKey: 'p', RowKey }, noContent));
  const rowsOf = async (table: string) => (await client.get(`/${table}`)).rows.map((row) => row['RowKey']);

  it.each<[string, (body: string) => string]>([
    ['bare line feeds', (body) => body.replaceAll('\r\n', '\n')],
    ['no line end at its end', (body) => body.replace(/\r\n$/, '')],
    ['a last delimiter without its dashes', (body) => body.replace(/--\r\n$/, '\r\n')],
    ['two blank lines before the change set', (body) => body.replace(/\r\n\r\n--changeset/, '\r\n\r\n\r\n--changeset')],
    ['two blank lines after part headers', (body) => body.replaceAll('binary\r\n', 'binary\r\n\r\n')],
    ['a blank line after the change set', (body) => body.replace(/(--changeset\w+--\r\n)/, '$1\r\n')],
    ['delimiters directly after the JSON', (body) => body.replaceAll('}\r\n--', '}--')],
    ['no encodings of parts', (body) => body.replaceAll('Content-Transfer-Encoding: binary\r\n', '')],
    ['lower-case names of headers', (body) => body.replace(/^[\w-]+(?=:)/gm, (name) => name.toLowerCase())],
    ['empty headers', (body) => body.replaceAll(' HTTP/1.1\r\n', ' HTTP/1.1\r\nx-ms-version: \r\n')],
    ['text around it', (body) => `written by hand\r\n${body}and no more\r\n`],
    ['a quoted boundary inside', (body) => body.replace(/boundary=(\w+)/, 'charset="utf-8";boundary="$1"')],
  ])('B6 is accepted with %s', async (_, restyle) => {
    const table = await withTable();

    const answer = await sendBody(restyle(writeChangeSet(insertsInto(`${table}`))));

    expectParts(answer, Array(3).fill('204 No Content'));
    expect(await rowsOf(table)).toEqual(three);
  });

  it.each([
    ['a quoted boundary', `multipart/mixed; boundary="${batchBoundary}"`],
    ['a charset before the boundary', `multipart/mixed; charset="utf-8"; boundary=${batchBoundary}`],
    ['no blanks', `multipart/mixed;charset="utf-8";boundary=${batchBoundary}`],
    ['capitals', `Multipart/Mixed; Boundary=${batchBoundary}`],
  ])('is accepted if its Content-Type has %s', async (_, contentType) => {
    const table = await withTable();

    const answer = await sendBody(writeChangeSet(insertsInto(table)), { headers: { 'Content-Type': contentType } });

    expectParts(answer, Array(3).fill('204 No Content'));
  });

  it.each<[string, string | false]>([
    ['no Accept', false],
    ['any Accept', '*/*'],
    ['an Accept of JSON', 'application/json'],
    ['the Accept of an old client', 'application/atom+xml,application/xml'],
  ])('B8 is answered with a multipart for %s', async (_, accept) => {
    const table = await withTable();

    const answer = await sendChangeSet(insertsInto(table), { accept });

    expectParts(answer, Array(3).fill('204 No Content'));
  });

  it.each<[string, (table: string) => string]>([
    ['a path', (table) => `/${table}`],
    ['a path with the account', (table) => `/devstoreaccount1/${table}`],
    ['an absolute URL', (table) => `${service().base}/${table}`],
    ['a URL of another host', (table) => `https://elsewhere.example:444/devstoreaccount1/${table}`],
    ["the cloud's URL", (table) => `https://devstoreaccount1.table.core.windows.net/${table}`],
    ["the cloud's URL in capitals", (table) => `HTTPS://DevStoreAccount1.Table.Core.Windows.Net/${table}`],
    [
      "the cloud's URL of the secondary",
      (table) => `https://devstoreaccount1-secondary.table.core.windows.net/${table}`,
    ],
    ['its own host without the account', (table) => `${service().url}/${table}`],
    ['a URL with $format', (table) => `${service().base}/${table}?%24format=application%2Fjson%3Bodata%3Dnometadata`],
    ['a URL with parameters', (table) => `${service().base}/${table}?sv=2019-02-02&sig=a%2Bb%3D&timeout=30`],
  ])('B7 can name its table with %s', async (_, urlOf) => {
    const table = await withTable();
    const parts = three.map((RowKey) => ({
      ...insert('', { PartitionKey: 'p', RowKey }, noContent),
      url: urlOf(table),
    }));

    const answer = await sendBody(writeChangeSet(parts));

    const [part] = expectParts(answer, Array(3).fill('204 No Content'));
    expect(Object.fromEntries(part?.headers ?? [])['Location']).toBe(
      `${service().base}/${table}(PartitionKey='p',RowKey='1')`,
    );
    expect(await rowsOf(table)).toEqual(three);
  });

  it.each([
    ['quotes in percent', '(PartitionKey=%27it%27%27s%27,RowKey=%27a%20b%27)'],
    ['a doubled quote', "(PartitionKey='it''s',RowKey='a%20b')"],
    ['everything in percent', '%28PartitionKey%3D%27it%27%27s%27%2CRowKey%3D%27a%20b%27%29'],
  ])('can name an entity with %s', async (_, key) => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: "it's", RowKey: 'a b' });

    const answer = await sendChangeSet([remove(`/${table}${key}`)]);

    expectParts(answer, ['204 No Content']);
    expect(await rowsOf(table)).toEqual([]);
  });

  it.each<[string, (inserts: PartRequest[], get: PartRequest) => string]>([
    [
      'a read and a change set',
      (inserts, get) => writeBare([get]).replace(/--\w+--\r\n$/, '') + writeChangeSet(inserts),
    ],
    ['two change sets', (inserts) => writeChangeSet(inserts).replace(/--\w+--\r\n$/, '') + writeChangeSet(inserts)],
    ['no change set', () => `--${batchBoundary}--\r\n`],
    ['two reads', (_, get) => writeBare([get, get])],
    ['a write in no change set', ([first]) => writeBare(first ? [first] : [])],
    [
      'a change set with other boundaries than its own',
      (parts) => writeChangeSet(parts).replace('set_8a28b620', 'set_'),
    ],
    ['a change set that only ends', () => writeChangeSet([]).replace('--\r\n', '--\r\nPOST /T HTTP/1.1\r\n')],
    ['a part without a request', (inserts) => writeChangeSet(inserts).replace(/^POST .*\r\n/m, '')],
    ['a part without a blank line', (inserts) => writeChangeSet(inserts).replace('binary\r\n\r\n', 'binary\r\n')],
    ['a delimiter cut short', (inserts) => writeChangeSet(inserts).slice(0, -12)],
    ['half of it', (inserts) => writeChangeSet(inserts).slice(0, 600)],
  ])('B22 and B23 reject a batch as a whole if it contains %s', async (_, write) => {
    const { table, path } = await withEntity();

    const answer = await sendBody(write(insertsInto(table), read(path)));

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message: 'One of the request inputs is not valid.' });
    expect(await rowsOf(table)).toEqual(['r']);
  });

  it.each<[string, string]>([
    [
      'with another boundary',
      writeChangeSet([insert('T', { PartitionKey: 'p', RowKey: '1' })]).replaceAll('batch_', 'other_'),
    ],
    ['that is empty', ''],
    ['in JSON', '{"PartitionKey":"p","RowKey":"1"}'],
  ])('B31 is answered with no part if it has a body %s', async (_, body) => {
    expect(readBatchAnswer(await sendBody(body))).toEqual({ inChangeSet: false, parts: [] });
  });

  it.each<[string, (body: string) => string]>([
    ['is empty', (body) => body.replace(/(?<=binary\r\n\r\n)POST [\s\S]*?(?=--changeset)/, '')],
    ['has blank lines only', (body) => body.replace(/(?<=binary\r\n\r\n)POST [\s\S]*?(?=--changeset)/, '\r\n\r\n')],
    [
      'has no MIME headers either',
      (body) => body.replace(/Content-Type: application\/http[\s\S]*?(?=--changeset)/, ''),
    ],
  ])('B32 is answered with an error in XML if an operation %s', async (_, empty) => {
    const { table } = await withEntity();

    for (const accept of ['application/json', false] as const) {
      const answer = await sendBody(empty(writeChangeSet(insertsInto(table))), { accept });

      expectFailure(answer, {
        status: '400 Bad Request',
        code: 'InvalidInput',
        message: 'An error occurred while processing this request.',
        set: 'B1',
        xml: true,
        isEmpty: true,
      });
    }
    expect(await rowsOf(table)).toEqual(['r']);
  });

  it.each(['\r\n', '\n'])('is answered with an empty change set if it contains one, with line ends %j', async (end) => {
    const answer = await sendBody(writeChangeSet([], end));

    expect(readBatchAnswer(answer)).toEqual({ inChangeSet: true, parts: [] });
  });

  it('can contain an empty change set in the format of the oldest Python client', async () => {
    const [batch, set] = [batchBoundary, 'changeset_8a28b620-b4bb-458c-a177-0959fb14c977'];
    const body = `--${batch}\nContent-Type: multipart/mixed; boundary=${set}\n\n--${set}--\n--${batch}--`;

    expect(readBatchAnswer(await sendBody(body))).toEqual({ inChangeSet: true, parts: [] });
  });

  it.each([
    ['names no boundary', 'multipart/mixed'],
    ['is not multipart', 'application/json'],
    ['is another multipart', `multipart/form-data; boundary=${batchBoundary}`],
    ['is missing', undefined],
  ])('B23 is rejected as a whole if its Content-Type %s', async (_, contentType) => {
    const table = await withTable();

    const answer = await sendBody(writeChangeSet(insertsInto(table)), { headers: { 'Content-Type': contentType } });

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    expect(await rowsOf(table)).toEqual([]);
  });

  it('B24 can be 4 MiB large, and not a byte more', async () => {
    const table = await withTable();
    const body = writeChangeSet(insertsInto(table));
    const filled = (bytes: number) => `${'x'.repeat(bytes - body.length - 2)}\r\n${body}`;

    const rejected = await sendBody(filled(4 * 1024 * 1024 + 1));
    const taken = await sendBody(filled(4 * 1024 * 1024));

    expectTableError(rejected, 413, 'RequestBodyTooLarge', { set: 'A3', type: 'application/json' });
    expect(readBatchAnswer(taken).parts).toHaveLength(3);
  });

  it.each([
    ['JSON', 'application/json', 'application/json'],
    ['XML', false, 'application/xml'],
  ] as const)('B25 is rejected as a whole, in %s, if it is signed with a wrong key', async (_, accept, type) => {
    const table = await withTable();

    const answer = await sendChangeSet(insertsInto(table), { accept, key: Buffer.from('wrong').toString('base64') });

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type });
    expect(await rowsOf(table)).toEqual([]);
  });

  it('is not authenticated by a header of one of its operations', async () => {
    const table = await withTable();
    const inner = insert(table, { PartitionKey: 'p', RowKey: '1' }, 'Authorization: SharedKey unknown:bm8=', noContent);

    expectParts(await sendChangeSet([inner]), ['204 No Content']);
    expectTableError(await sendChangeSet([inner], { auth: 'none' }), 403, 'AuthenticationFailed', { set: 'A1' });
  });
});
