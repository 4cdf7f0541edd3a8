import { expect, it } from 'vitest';
import type { Account } from '../../src/protocol/access/accounts.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchBoundary, insert, read, writeBare, writeChangeSet } from '../support/bodies/batch-tools.js';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';
import { signAccess, tableAccess } from '../support/signatures/sign-access.js';

const batchType = { headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` } } as const;
const querySyntax = { set: 'B1', message: 'Bad Request - Error in query syntax.' } as const;

describeService('Slashes at the end of an address', ({ client, withTable, withEntity }) => {
  it('are ignored in single requests', async () => {
    const { table, path } = await withEntity();

    const reads = [
      await client.get('/Tables/'),
      await client.get(`/Tables('${table}')/`),
      await client.get(`/${table}/`),
      await client.get(`/${table}()/`),
      await client.get(`${path}/`),
      await client.get(`/${table}//`),
    ];
    const inserted = await client.post(`/${table}/`, { PartitionKey: 'p', RowKey: 'slash' });
    const created = await client.post('/Tables/', { TableName: `${table}Second` });
    const merged = await client.merge(`${path}/`, { B: 1 });
    const removed = await client.delete(`/Tables('${table}Second')/`);

    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect([inserted.status, created.status, merged.status, removed.status]).toEqual([201, 201, 204, 204]);
  });

  it('are ignored in a batch and its parts', async () => {
    const table = await withTable();
    const body = writeChangeSet([
      insert(`${table}/`, { PartitionKey: 'p', RowKey: 'a' }),
      { method: 'PUT', url: `/${table}(PartitionKey='p',RowKey='b')/`, body: {} },
    ]);

    const written = await client.post('/$batch/', body, batchType);
    const found = await client.post('/%24batch/', writeBare([read(`/${table}()/`)]), batchType);

    expect(written.body).not.toContain('odata.error');
    expect((await client.get(`/${table}`)).rows).toHaveLength(2);
    expect(found.body).toContain('"RowKey":"b"');
  });

  it('are part of the signed address', async () => {
    const table = await withTable();
    const without = `/devstoreaccount1/${table}`;

    expectTableError(await client.get(`/${table}/`, { signedTarget: without }), 403, 'AuthenticationFailed', {
      set: 'A1',
    });
  });

  it('are rejected at the start of an address', async () => {
    expectTableError(await client.get('//Tables'), 400, 'InvalidUri', { set: 'A3', type: 'application/json' });
  });
});

describeService('Addresses that are not a resource', ({ client, service, withTable }) => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])(
    'H19 are answered outside of OData if they name no table: %s',
    async (method) => {
      for (const path of ['/(retry)', '/%28retry%29', "/(PartitionKey='p',RowKey='r')", '/()']) {
        const answer = await client.send(method, path, method === 'GET' || method === 'DELETE' ? {} : { body: '' });

        expectTableError(answer, 404, 'ResourceNotFound', { set: 'A3', type: 'application/json' });
      }
    },
  );

  it('H20 name a table twice, which the client of Java does with a signature', async () => {
    const table = await withTable();
    const sas = signAccess(tableAccess(table));
    const signed = { auth: 'none', prefer: 'return-no-content' } as const;

    const answer = await client.post(`/${table}/${table}?${sas}`, { PartitionKey: 'p', RowKey: 'r' }, signed);

    expect(answer.status, answer.body).toBe(204);
    expect(answer.headers['location']).toBe(`${service().base}/${table}(PartitionKey='p',RowKey='r')`);
    expect((await client.get(`/${table}`)).rows).toHaveLength(1);
  });

  it.each([(table: string) => `/${table}/${table}/${table}`, () => '/Tables/Tables'])(
    'are not found if they name several resources',
    async (pathIn) => {
      const answer = await client.get(pathIn(await withTable()));

      expectTableError(answer, 404, 'ResourceNotFound');
    },
  );
});

describeService('A bare % in a key', ({ client, withTable }) => {
  it('is rejected in a single request', async () => {
    const table = await withTable();
    for (const key of ['100%', '%zz', '%', '5%2']) {
      const path = `/${table}(PartitionKey='${key}',RowKey='r')`;
      expectTableError(await client.get(path), 400, 'InvalidInput', querySyntax);
      expectTableError(await client.put(path, {}), 400, 'InvalidInput', querySyntax);
    }
  });

  it('is read as a % in a part of a batch', async () => {
    const table = await withTable();
    const body = writeChangeSet([
      { method: 'PUT', url: `/${table}(PartitionKey='100%',RowKey='%zz')`, body: { A: 1 } },
    ]);

    await client.post('/$batch', body, batchType);

    const { rows } = await client
      .get(`/${table}(PartitionKey='100%25',RowKey='%25zz')`)
      .then(() => client.get(`/${table}`));
    expect(rows).toMatchObject([{ PartitionKey: '100%', RowKey: '%zz' }]);
  });
});

describeService('Bare UTF-8 in an address', ({ client, service, withTable }) => {
  /** Sends requests with bare UTF-8 in their targets, and returns their answers. */
  const exchange = async (...requests: readonly (string | Buffer)[]) => {
    const connection = await RawConnection.open(service());
    const answers = [];
    for (const request of requests) {
      await connection.write(Buffer.from(request));
      answers.push(await connection.answer());
    }
    connection.destroy();
    return answers;
  };
  const path = (table: string) => `/${table}(PartitionKey='\u4f60\u597d',RowKey='\u00e4\ud83d\ude00')`;
  const body = '{"A":"\u00e4"}';
  const put = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };

  it('is served like the percent-encoded form, and the signature covers the bytes that were sent', async () => {
    const table = await withTable();

    const [written, read, next] = await exchange(
      `${signedHead(service(), 'PUT', path(table), put)}${body}`,
      signedHead(service(), 'GET', path(table)),
      signedHead(service(), 'GET', `/${table}?$filter=A%20eq%20'\u00e4'`),
    );

    expect([written?.status, read?.status, next?.status]).toEqual([204, 200, 200]);
    const found = await client.get(`/${table}(PartitionKey='%E4%BD%A0%E5%A5%BD',RowKey='%C3%A4%F0%9F%98%80')`);
    expect(found.json).toMatchObject({ PartitionKey: '\u4f60\u597d', A: '\u00e4' });
    expect(next?.body).toContain('"RowKey":"\\u00e4\\ud83d\\ude00"');
  });

  it('is served if the body arrives later, and the connection stays usable', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());

    await connection.write(signedHead(service(), 'PUT', path(table), put));
    await connection.write(body);
    const written = await connection.answer();
    await connection.write(signedHead(service(), 'GET', '/Tables'));
    const plain = await connection.answer();
    connection.destroy();

    expect([written?.status, plain?.status]).toEqual([204, 200]);
  });

  it('is served in order if several requests arrive in one packet', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const heads = ['/Tables', path(table), '/Tables', path(table)].map((one) => signedHead(service(), 'GET', one));

    await connection.write(heads.join(''));
    const answers = [];
    for (const _ of heads) answers.push((await connection.answer())?.status);
    connection.destroy();

    expect(answers).toEqual([200, 404, 200, 404]);
  });

  it('is served if it follows a body in the same packet', async () => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const write = `${signedHead(service(), 'PUT', path(table), put)}${body}`;

    await connection.write(write + write + signedHead(service(), 'GET', path(table)));
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push((await connection.answer())?.status);
    connection.destroy();

    expect(answers).toEqual([204, 204, 200]);
  });

  it('is rejected if the signature covers another form', async () => {
    const table = await withTable();
    const head = signedHead(service(), 'GET', path(table)).replace('/devstoreaccount1', '/devstoreaccount1/');

    expect((await exchange(head)).map((answer) => answer?.status)).toEqual([403]);
  });

  it('is rejected if the bytes are not UTF-8', async () => {
    const head = Buffer.from(signedHead(service(), 'GET', '/T\u00e4'), 'latin1');

    expect((await exchange(head))[0]?.status).toBeGreaterThanOrEqual(400);
    expect((await exchange(head))[0]?.status).toBeLessThan(500);
  });
});

describeService('Names of tables', ({ client, withEntity }) => {
  it('ignore the case of the letters A to Z, and of no others', async () => {
    const { table } = await withEntity();
    const kelvin = 'Kelvin';
    await client.post('/Tables', { TableName: kelvin }, { prefer: 'return-no-content' });
    const unlike = '\u212aelvin';
    const encoded = encodeURIComponent(unlike);

    expect((await client.get('/KELVIN')).status).toBe(200);
    expectTableError(await client.get(`/${encoded}`), 400, 'InvalidResourceName', { set: 'B1' });
    expectTableError(await client.get(`/Tables('${encoded}')`), 404, 'ResourceNotFound');
    expectTableError(await client.delete(`/Tables('${encoded}')`), 404, 'ResourceNotFound');
    expect((await client.get(`/Tables?$filter=TableName%20eq%20'${encoded}'`)).rows).toEqual([]);
    expect((await client.get("/Tables?$filter=TableName%20eq%20'kELVIN'")).rows).toEqual([{ TableName: kelvin }]);
    const sas = signAccess(tableAccess(unlike));
    const foreign = await client.get(`/${kelvin}?${sas}`, { auth: 'none' });
    expect(foreign.status).toBe(403);
    const mixed = writeChangeSet([
      insert(kelvin, { PartitionKey: 'p', RowKey: 'a' }),
      insert(encoded, { PartitionKey: 'p', RowKey: 'b' }),
    ]);
    expect((await client.post('/$batch', mixed, batchType)).body).toContain('odata.error');
    expect((await client.get(`/${table}`)).status).toBe(200);
  });
});

const key = Buffer.alloc(64, 1).toString('base64');
const accounts: readonly [Account, ...Account[]] = [
  { name: 'customers', keys: [key] },
  { name: 'orders', keys: [key] },
];

describeService(
  'Accounts in the host',
  ({ client }) => {
    it('take precedence over accounts in the path if the host has the form of the service', async () => {
      const host = { prefix: '', headers: { Host: 'customers.table.localhost' } };
      await client.post('/Tables', { TableName: 'orders' }, host);

      const inserted = await client.post('/orders', { PartitionKey: 'p', RowKey: 'r' }, host);
      const found = await client.get("/orders(PartitionKey='p',RowKey='r')", host);
      const queried = await client.get('/orders', host);
      const byPath = await client.get('/orders', { prefix: '/customers' });

      expect(inserted.status, inserted.body).toBe(201);
      expect(inserted.headers['location']).toBe("http://customers.table.localhost/orders(PartitionKey='p',RowKey='r')");
      expect([found.status, queried.rows.length, byPath.rows.length]).toEqual([200, 1, 1]);
    });

    it('can be written in any letter case', async () => {
      const answer = await client.get('/Tables', { prefix: '', headers: { Host: 'CUSTOMERS.Table.LocalHost:10002' } });

      expect(answer.status, answer.body).toBe(200);
    });
  },
  { accounts },
);

describeService('The secondary endpoint as a host', ({ client }) => {
  const path = '/?restype=service&comp=stats';
  const prefix = '/devstoreaccount1-secondary/devstoreaccount1';

  it.each([
    ['as sent', undefined],
    ['with the account for its secondary name', `/devstoreaccount1/devstoreaccount1${path}`],
    ['without the secondary name', `/devstoreaccount1${path}`],
  ])('answers stats to clients that append the path of the primary, signed %s', async (_form, signedTarget) => {
    const signed = signedTarget === undefined ? {} : { signedTarget };

    const answer = await client.get(path, { prefix, accept: false, ...signed });

    expect(answer.status, answer.body).toBe(200);
    expect(answer.body).toContain('<Status>live</Status>');
  });

  it('answers reads of tables under such an address', async () => {
    expect((await client.get('/Tables', { prefix })).status).toBe(200);
  });

  it('rejects any other signature', async () => {
    const signedTarget = '/devstoreaccount1/Tables?restype=service&comp=stats';

    const answer = await client.get(path, { prefix, accept: false, signedTarget });

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
  });
});

describeService('Parameters and headers of every request', ({ client, service, withTable }) => {
  it.each(['properties', 'stats', 'userdelegationkey'])('rejects comp=%s without restype=service', async (comp) => {
    for (const query of [`comp=${comp}`, `restype=account&comp=${comp}`, `restype=&comp=${comp}`]) {
      const answer = await client.get(`/?${query}`, { accept: 'application/xml' });

      expectTableError(answer, 400, 'InvalidQueryParameterValue', {
        set: 'A3',
        unmatched: true,
        message: 'Value for one of the query parameters specified in the request URI is invalid.',
      });
    }
  });

  it.each(['POST', 'PUT'])('rejects a %s without a length with 411', async (method) => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    await connection.write(signedHead(service(), method, `/${table}`));

    const answer = await connection.answer();
    connection.destroy();

    expect(answer).toMatchObject({ status: 411, headers: { 'x-ms-error-code': 'MissingContentLengthHeader' } });
    expect(answer?.body).toContain('The Content-Length header was not specified.');
  });

  it.each(['Content-Length: 0', 'Transfer-Encoding: chunked'])('accepts a POST with %s', async (line) => {
    const table = await withTable();
    const connection = await RawConnection.open(service());
    const [name = '', value = ''] = line.split(': ');
    await connection.write(
      `${signedHead(service(), 'POST', `/${table}`, { [name]: value })}${value === '0' ? '' : '0\r\n\r\n'}`,
    );

    const answer = await connection.answer();
    connection.destroy();

    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('Content-Type header value missing.') });
  });

  it.each(['1999-01-01', '2008-10-26', '0001-01-01'])(
    'rejects the version %s, which is older than the first version',
    async (version) => {
      const answer = await client.get('/Tables', { version });

      expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/xml' } });
      expect(answer.headers).not.toHaveProperty('x-ms-version');
      expect(answer.body).toContain('<code>InvalidHeaderValue</code>');
    },
  );

  it.each(['2008-10-27', '2009-07-17'])('does not repeat the version %s in the answer', async (version) => {
    const answer = await client.get('/?restype=service&comp=properties', { version, accept: 'application/xml' });

    expect(answer.status, answer.body).toBe(200);
    expect(answer.headers).not.toHaveProperty('x-ms-version');
  });
});
