import { afterEach, expect, it } from 'vitest';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { floodUnread, openSockets } from '../support/hostile/hostile-sockets.js';
import { describeService } from '../support/servers/describe-service.js';

const json = { 'Content-Type': 'application/json' };
const entity = '{"PartitionKey":"p","RowKey":"r","A":"é"}';
const entityBytes = Buffer.from(entity);

describeService('Raw bytes on a connection', ({ client, withTable, service }) => {
  // A new connection is served, regardless of what the previous connection sent.
  afterEach(async () => {
    expect((await client.get('/Tables?$top=1')).status).toBe(200);
  });

  it.each([
    ['no request line', 'GARBAGE\r\n\r\n', 400],
    ['another protocol', 'GET / SMTP/1.1\r\n\r\n', 400],
    ['an unknown verb', 'FOO /devstoreaccount1/Tables HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a path without a slash', 'GET Tables HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a control character in the path', 'GET /devstoreaccount1/\u0001 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost a\r\n\r\n', 400],
    ['a header with U+0000', 'GET / HTTP/1.1\r\nHost: a\r\nAccept: a\u0000b\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['an invalid length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
    ['length and chunks', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['headers of 300 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(300 * 1024)}\r\n\r\n`, 431],
    ['an address of 300 KiB', `GET /${'x'.repeat(300 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])('rejects %s and closes the connection', async (_what, request, status) => {
    const connection = await RawConnection.open(service());

    await connection.write(Buffer.from(request, 'latin1'));

    expect(await connection.answer()).toMatchObject({ status });
    await connection.closed();
  });

  it('sends Connection: close with such a rejection, so that clients do not reuse the connection', async () => {
    const connection = await RawConnection.open(service());

    await connection.write('GARBAGE\r\n\r\n');

    expect((await connection.answer())?.headers).toMatchObject({ connection: 'close' });
    await connection.closed();
  });

  it('rejects malformed chunks, and closes the connection', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());

    const head = signedHead(service(), 'POST', `/${table}`, { ...json, 'Transfer-Encoding': 'chunked' });
    await connection.write(`${head}zz\r\n{}\r\n0\r\n\r\n`);

    await connection.closed();
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it('stores nothing if a body is shorter than its length', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());

    const head = signedHead(service(), 'POST', `/${table}`, { ...json, 'Content-Length': '1000' });
    await connection.write(head + entity);
    connection.destroy();

    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it('answers pipelined requests in order', async () => {
    const connection = await RawConnection.open(service());
    const heads = ['1', '2', '3'].map((id) =>
      signedHead(service(), 'GET', '/Tables?$top=1', { 'x-ms-client-request-id': id }),
    );

    await connection.write(heads.join(''));

    for (const id of ['1', '2', '3']) {
      expect(await connection.answer()).toMatchObject({ status: 200, headers: { 'x-ms-client-request-id': id } });
    }
    connection.destroy();
  });

  it.each([
    ['with nothing', ''],
    ['with a body', entity],
  ])('answers a request for a protocol upgrade %s, and the next request in the same packet', async (_, text) => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const upgrade = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AA' };
    const head = text
      ? signedHead(service(), 'POST', `/${table}`, {
          ...json,
          ...upgrade,
          'Content-Length': String(entityBytes.length),
        })
      : signedHead(service(), 'GET', '/Tables?$top=1', upgrade);

    const next = signedHead(service(), 'GET', '/Tables?$top=1');
    await connection.write(
      Buffer.concat([Buffer.from(head), Buffer.from(text), Buffer.from(`${next}GARBAGE\r\n\r\n`)]),
    );

    expect(await connection.answer()).toMatchObject({ status: text ? 201 : 200 });
    expect(await connection.answer()).toMatchObject({ status: 200 });
    expect(await connection.answer()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    await connection.closed();
  });

  it('answers repeated requests for a protocol upgrade on one connection', async () => {
    const connection = await RawConnection.open(service());

    for (let request = 0; request < 20; request++) {
      await connection.write(signedHead(service(), 'GET', '/Tables?$top=1', { Connection: 'upgrade', Upgrade: 'x' }));
      expect(await connection.answer()).toMatchObject({ status: 200 });
    }
    connection.destroy();
  });

  it.each([
    ['a protocol upgrade', { Connection: 'upgrade', Upgrade: 'h2c' }, 'r'],
    ['a key in unencoded UTF-8', {}, 'é'],
  ])('reads on after a request with %s that came while earlier answers were unread', async (_, headers, key) => {
    const table = await withTable();
    for (let row = 0; row < 32; row++) {
      await client.put(`/${table}(PartitionKey='p',RowKey='${row}')`, { A: 'x'.repeat(30_000) });
    }
    const length = '300000';
    const [socket] = await openSockets(service(), 1);
    const answered = (async () => {
      let text = '';
      for await (const bytes of socket ?? []) {
        text += bytes;
        if (text.includes('x-ms-client-request-id: last')) return text.match(/^HTTP\/1\.1 \d+/gm)?.at(-1);
      }
      return 'closed';
    })();

    await floodUnread(socket ? [socket] : [], signedHead(service(), 'GET', `/${table}`), 8);
    const point = (row: string, more = {}) =>
      signedHead(service(), 'GET', `/${table}(PartitionKey='p',RowKey='${row}')`, more);
    const last = { ...json, 'Content-Length': length, 'x-ms-client-request-id': 'last' };
    const put = signedHead(service(), 'PUT', `/${table}(PartitionKey='w',RowKey='w')`, last);
    const body = `${'{"A":1'.padEnd(Number(length) - 1)}}`;
    socket?.write([point('1'), point(key, headers), put, body].join(''));
    socket?.resume();

    expect(await answered).toBe('HTTP/1.1 204');
    socket?.destroy();
  });

  it('serves others when a client leaves amid its requests for protocol upgrades', async () => {
    const head = signedHead(service(), 'GET', '/Tables?$top=1', { Connection: 'upgrade', Upgrade: 'x' });

    for (let client = 0; client < 5; client++) {
      const connection = await RawConnection.open(service());
      await connection.write(head.repeat(100));
      expect(await connection.answer()).toMatchObject({ status: 200 });
      connection.destroy();
    }
  });

  it('rejects malformed bytes after it has answered the requests before them', async () => {
    const connection = await RawConnection.open(service());
    const head = signedHead(service(), 'GET', '/Tables?$top=1');

    await connection.write(`${head.repeat(20)}GARBAGE\r\n\r\n`);

    for (let request = 0; request < 20; request++) expect(await connection.answer()).toMatchObject({ status: 200 });
    expect(await connection.answer()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    await connection.closed();
  });

  it('answers 100 to a client that expects it', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const length = String(entityBytes.length);

    await connection.write(
      signedHead(service(), 'POST', `/${table}`, { ...json, 'Content-Length': length, Expect: '100-continue' }),
    );
    const interim = await connection.answer();
    await connection.write(entityBytes);

    expect(interim).toMatchObject({ status: 100 });
    expect(await connection.answer()).toMatchObject({ status: 201 });
    connection.destroy();
  });

  it('reads a body in chunks that split a character', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const border = entityBytes.indexOf(0xc3) + 1;

    await connection.write(signedHead(service(), 'POST', `/${table}`, { ...json, 'Transfer-Encoding': 'chunked' }));
    for (const piece of [entityBytes.subarray(0, border), entityBytes.subarray(border)]) {
      await connection.write(
        Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
      );
    }
    await connection.write('0\r\n\r\n');

    expect(await connection.answer()).toMatchObject({ status: 201 });
    expect((await client.get(`/${table}`)).rows).toMatchObject([{ A: 'é' }]);
    connection.destroy();
  });

  it('reads head and body from any number of packets', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const head = signedHead(service(), 'POST', `/${table}`, { ...json, 'Content-Length': String(entityBytes.length) });

    for (const piece of [head.slice(0, 40), head.slice(40), entityBytes.subarray(0, 9), entityBytes.subarray(9)]) {
      await connection.write(piece);
    }

    expect(await connection.answer()).toMatchObject({ status: 201 });
    connection.destroy();
  });

  it('rejects a body of 5 MiB because of its Content-Length, and serves the next request on the same connection', async () => {
    const connection = await RawConnection.open(service());
    const length = 5 * 1024 * 1024;

    await connection.write(signedHead(service(), 'POST', '/abc', { ...json, 'Content-Length': String(length) }));
    await connection.write(Buffer.alloc(length, ' '));
    await connection.write(signedHead(service(), 'GET', '/Tables?$top=1'));

    expect(await connection.answer()).toMatchObject({ status: 413 });
    expect(await connection.answer()).toMatchObject({ status: 200 });
    connection.destroy();
  });

  it('rejects a body of 5 MiB in chunks, and serves the next request', async () => {
    const connection = await RawConnection.open(service());
    const chunk = Buffer.alloc(1024 * 1024, ' ');

    await connection.write(signedHead(service(), 'POST', '/abc', { ...json, 'Transfer-Encoding': 'chunked' }));
    for (let megabyte = 0; megabyte < 5; megabyte++) {
      await connection.write(Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')]));
    }
    await connection.write(`0\r\n\r\n${signedHead(service(), 'GET', '/Tables?$top=1')}`);

    expect(await connection.answer()).toMatchObject({ status: 413 });
    expect(await connection.answer()).toMatchObject({ status: 200 });
    connection.destroy();
  });

  it('authenticates a request before it reads the body, and serves the next request', async () => {
    const connection = await RawConnection.open(service());
    const unsigned = { ...json, 'Content-Length': String(entityBytes.length), Authorization: 'SharedKey a:b' };

    await connection.write(signedHead(service(), 'POST', '/abc', unsigned));
    const rejection = await connection.answer();
    await connection.write(entity);
    await connection.write(signedHead(service(), 'GET', '/Tables?$top=1'));

    expect(rejection).toMatchObject({ status: 403, headers: { 'x-ms-error-code': 'AuthenticationFailed' } });
    expect(await connection.answer()).toMatchObject({ status: 200 });
    connection.destroy();
  });

  it('answers HTTP/1.0 with a length and closes the connection', async () => {
    const connection = await RawConnection.open(service());

    await connection.write(signedHead(service(), 'GET', '/Tables?$top=1').replace('HTTP/1.1', 'HTTP/1.0'));

    expect(await connection.answer()).toMatchObject({
      status: 200,
      headers: { 'content-length': expect.stringMatching(/^\d+$/) },
    });
    await connection.closed();
  });

  it('closes the connection when the client sends Connection: close', async () => {
    const connection = await RawConnection.open(service());

    await connection.write(signedHead(service(), 'GET', '/Tables?$top=1', { Connection: 'close' }));

    expect(await connection.answer()).toMatchObject({ status: 200 });
    await connection.closed();
  });

  it('answers a request without Host', async () => {
    const connection = await RawConnection.open(service());

    await connection.write(signedHead(service(), 'GET', '/Tables').replace(/Host: .*\r\n/, ''));

    expect(await connection.answer()).toMatchObject({
      status: 200,
      body: expect.stringContaining(`"odata.metadata":"${service().base}/$metadata#Tables"`),
    });
    connection.destroy();
  });
});
