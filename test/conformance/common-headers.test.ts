import { expect, it } from 'vitest';
import {
  etagForm,
  expectHeaders,
  expectSuccess,
  fullServer,
  guidForm,
  jsonTypeAt,
} from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

const nometadata = 'application/json;odata=nometadata';
const fullmetadata = 'application/json;odata=fullmetadata';

describeService('Common headers', ({ client, withTable, withEntity, service }) => {
  it('H1 sends the requested version, a request id and the server, without DataServiceVersion', async () => {
    const answer = await client.get('/Tables', { version: '2018-03-28' });

    expect(answer.headers).toMatchObject({
      'x-ms-version': '2018-03-28',
      'x-ms-request-id': guidForm,
      server: fullServer,
      date: expect.any(String),
    });
    expect(answer.headers).not.toHaveProperty('dataserviceversion');
  });

  it('H1 sends a different id for each request', async () => {
    const first = await client.get('/Tables');
    const second = await client.get('/Tables');

    expect(first.headers['x-ms-request-id']).not.toBe(second.headers['x-ms-request-id']);
  });

  it.each([
    ['a success', '/Tables', 200],
    ['an error', "/Tables('nope')", 404],
  ])('H2 echoes the client request id unchanged, on %s', async (_kind, path, status) => {
    const answer = await client.get(path, { headers: { 'x-ms-client-request-id': 'abc 1' } });

    expect(answer.status).toBe(status);
    expect(answer.headers['x-ms-client-request-id']).toBe('abc 1');
  });

  it.each([
    ['in chunks', "/Tables('nope')", 404],
    ['with a length', '/Tables?comp=x', 400],
  ])('H2 echoes the bytes of a client request id, on the last answer of a connection, %s', async (_, path, status) => {
    const connection = await RawConnection.open(service());
    const head = signedHead(service(), 'GET', path, { Connection: 'close', 'x-ms-client-request-id': 'caf\u00e9' });
    await connection.write(Buffer.from(head, 'latin1'));

    expect(await connection.answer()).toMatchObject({ status, headers: { 'x-ms-client-request-id': 'caf\u00e9' } });
    await connection.closed();
  });

  // Source: RFC 9112, section 9.6.
  it('sends nothing after the answer to a request that ends the connection', async () => {
    const connection = await RawConnection.open(service());
    const last = signedHead(service(), 'GET', '/Tables', { Connection: 'close' });
    await connection.write(last + signedHead(service(), 'GET', '/Tables'));

    expect((await connection.answer())?.status).toBe(200);
    expect(await connection.answer()).toBeUndefined();
  });

  it.each(['Content-Length', 'Transfer-Encoding'])(
    'H2 frames the answer also if the client request id is %s',
    async (id) => {
      const { path } = await withEntity();

      const answer = await client.get(path, { headers: { 'x-ms-client-request-id': id } });

      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'x-ms-client-request-id': id, 'transfer-encoding': 'chunked' });
      expect(answer.headers).not.toHaveProperty('content-length');
    },
  );

  it.each(['2017-04-17', '2018-03-28'])('H3 does not echo the client request id under %s', async (version) => {
    const answer = await client.get('/Tables', { version, headers: { 'x-ms-client-request-id': 'abc 1' } });

    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('x-ms-client-request-id');
  });

  it('H4 does not invent a client request id', async () => {
    const answer = await client.get('/Tables');

    expect(answer.headers).not.toHaveProperty('x-ms-client-request-id');
  });

  it('H5 sends JSON chunked, uncached, with exactly the recorded type', async () => {
    const { path, etag } = await withEntity();

    const answer = await client.get(path);

    expectSuccess(answer, 200, { ETag: etag });
    expect(answer.headers['content-type']).toBe('application/json;odata=minimalmetadata;streaming=true;charset=utf-8');
  });

  it('H6 sends a 204 with Content-Length 0 and without Content-Type', async () => {
    const { table, path } = await withEntity();

    const answers = [
      await client.put(path, {}, { ifMatch: '*' }),
      await client.delete(path, { ifMatch: '*' }),
      await client.delete(`/Tables('${table}')`),
    ];

    expectSuccess(answers[0] ?? expect.fail(), 204, { ETag: etagForm });
    expectSuccess(answers[1] ?? expect.fail(), 204);
    expectSuccess(answers[2] ?? expect.fail(), 204);
  });

  it.each([
    ['H7', 'application/json', 'minimalmetadata'],
    ['H8', 'application/json; odata=nometadata', 'nometadata'],
    ['H8', 'application/json;odata=fullmetadata', 'fullmetadata'],
    ['H8', 'APPLICATION/JSON;OData=NoMetadata', 'nometadata'],
  ])('%s answers Accept: %s with %s', async (_no, accept, level) => {
    const answer = await client.get('/Tables', { accept });

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(jsonTypeAt(level));
  });

  it('H9 prefers $format to Accept', async () => {
    const { path } = await withEntity();

    const answer = await client.get(`${path}?$format=application%2Fjson%3Bodata%3Dfullmetadata`, {
      accept: 'application/json',
    });

    expect(answer.headers['content-type']).toBe(jsonTypeAt('fullmetadata'));
    expect(answer.json).toHaveProperty('odata.editLink');
  });

  it('H10 accepts %24format on an insert that prefers no content', async () => {
    const table = await withTable();

    const answer = await client.post(
      `/${table}?%24format=application%2Fjson%3Bodata%3Dminimalmetadata`,
      { PartitionKey: 'p', RowKey: 'r' },
      { prefer: 'return-no-content' },
    );

    expect(answer.status).toBe(204);
  });

  it('H11 writes the negotiated level into the type of an error', async () => {
    const { table } = await withEntity();

    const answer = await client.get(`/${table}(PartitionKey='p',RowKey='other')`, { accept: nometadata });

    expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2', level: 'nometadata' });
  });

  it('H12 writes the same error body at every level', async () => {
    const table = await withTable();

    const answer = await client.post('/Tables', { TableName: table }, { accept: fullmetadata });

    expectTableError(answer, 409, 'TableAlreadyExists', { set: 'B2', level: 'fullmetadata' });
  });

  it('H13 answers a request for Atom with AtomFormatNotSupported', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}`, { accept: 'application/atom+xml' });

    expectTableError(answer, 415, 'AtomFormatNotSupported', { set: 'B1' });
  });

  it('H14 answers a version that is not a date with indented XML, regardless of Accept', async () => {
    const answer = await client.get('/Tables', { version: '12.0.0b1' });

    expect(answer.status).toBe(400);
    expectHeaders(answer, {
      'Content-Length': String(Buffer.byteLength(answer.body)),
      'Content-Type': 'application/xml',
      Date: expect.any(String),
      Server: 'Microsoft-HTTPAPI/2.0',
      'x-ms-request-id': guidForm,
    });
    expect(answer.body).toMatch(
      new RegExp(
        [
          '^\ufeff<\\?xml version="1.0" encoding="utf-8" standalone="yes"\\?>\r\n',
          '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">\r\n',
          '  <code>InvalidHeaderValue</code>\r\n',
          '  <message xml:lang="en-US">The value for one of the HTTP headers is not in the correct format.\n',
          `RequestId:${answer.headers['x-ms-request-id']}\nTime:[^\n<]+</message>\r\n`,
          '</error>$',
        ].join(''),
      ),
    );
  });

  it.each(['%2F', '%5C'])('G7 rejects an address with %s in a key before it looks for the table', async (sign) => {
    const answer = await client.get(`/nope(PartitionKey='a${sign}b',RowKey='r')`);

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1', message: 'Bad Request - Error in query syntax.' });
  });

  it('H15 answers a doubled slash with InvalidUri in bare JSON', async () => {
    const answer = await client.get('//Tables');

    expectTableError(answer, 400, 'InvalidUri', {
      set: 'A3',
      type: 'application/json',
      message: 'The requested URI does not represent any resource on the server.',
    });
  });

  it('H16 accepts a timeout above the maximum', async () => {
    const answer = await client.get('/Tables?timeout=100000');

    expect(answer.status).toBe(200);
  });

  it.each(['0', '-1', 'x', ''])('rejects a timeout of %j', async (timeout) => {
    const answer = await client.get(`/Tables?timeout=${timeout}`);

    expectTableError(answer, 400, 'InvalidQueryParameterValue', { set: 'B1' });
  });

  it('H17 ignores an unknown parameter', async () => {
    const answer = await client.get('/Tables?foo=1');

    expect(answer.status).toBe(200);
  });

  it.each([
    ['PATCH', '/Tables'],
    ['DELETE', '/Tables'],
    ['PUT', "/Tables('abc')"],
    ['PUT', '/abc'],
    ['POST', "/abc(PartitionKey='p',RowKey='r')"],
    ['GET', '/$batch'],
    ['POST', '/'],
  ])('H18 answers %s %s with MethodNotAllowed', async (method, path) => {
    const answer = await client.send(method, path);

    expectTableError(answer, 405, 'MethodNotAllowed', { set: 'B1' });
  });
});
