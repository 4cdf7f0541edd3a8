import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchBoundary, insert, writeBare, writeChangeSet } from '../support/bodies/batch-tools.js';
import type { HttpsRequest } from '../support/clients/https-client.js';
import { describeService } from '../support/servers/describe-service.js';
import { describeHttpsService } from '../support/servers/https-service.js';
import { goodClaims, writeToken } from '../support/signatures/https-token.js';

const failed =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly ' +
  'including the signature.';
const challenged = {
  set: 'A1',
  type: 'application/json',
  challenge: true,
  message: 'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
} as const;
const withToken = (claims?: Readonly<Record<string, unknown>>): HttpsRequest => ({
  auth: { token: writeToken(claims) },
});
const xml = { accept: 'application/xml', 'content-type': 'application/xml' };
const now = () => Math.floor(Date.now() / 1000);

describeHttpsService(
  'Bearer tokens',
  ({ client, service }) => {
    it('A27 allow all operations on tables', async () => {
      const by = withToken();

      const answers = [
        await client.send('POST', '/Tables', { ...by, body: { TableName: 'Bearer' } }),
        await client.send('GET', '/Tables', by),
        await client.send('GET', "/Tables('Bearer')", by),
        await client.send('DELETE', "/Tables('Bearer')", by),
      ];

      expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 204]);
    });

    it('A27 allow all operations on entities', async () => {
      const by = withToken();
      const path = "/Entities(PartitionKey='p',RowKey='r')";
      const ifMatch = { ...by, headers: { 'if-match': '*' } };
      await client.send('POST', '/Tables', { ...by, body: { TableName: 'Entities' } });

      const answers = [
        await client.send('POST', '/Entities', { ...by, body: { PartitionKey: 'p', RowKey: 'r' } }),
        await client.send('GET', path, by),
        await client.send('GET', '/Entities()', by),
        await client.send('PUT', path, { ...ifMatch, body: { A: 1 } }),
        await client.send('MERGE', path, { ...by, body: { B: 1 } }),
        await client.send('PATCH', path, { ...ifMatch, body: { C: 1 } }),
        await client.send('DELETE', path, ifMatch),
      ];

      expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 204, 204, 204, 204]);
    });

    it('A27 allow batches', async () => {
      await client.send('POST', '/Tables', { ...withToken(), body: { TableName: 'Batch' } });
      const part = { ...insert('Batch', { PartitionKey: 'p', RowKey: 'r' }), url: `${service().base}/Batch` };
      const query = { method: 'GET', url: `${service().base}/Batch` };
      const by = { ...withToken(), headers: { 'content-type': `multipart/mixed; boundary=${batchBoundary}` } };

      const written = await client.send('POST', '/$batch', { ...by, body: writeChangeSet([part]) });
      const read = await client.send('POST', '/$batch', { ...by, body: writeBare([query]) });

      expect(written.body).toContain('HTTP/1.1 201 Created');
      expect(read.body).toContain('HTTP/1.1 200 OK');
    });

    it('A27 read and write the service properties, and read the stats', async () => {
      const path = '/?restype=service&comp=properties';
      const body = '<StorageServiceProperties><Cors /></StorageServiceProperties>';

      const answers = [
        await client.send('GET', path, { ...withToken(), headers: xml }),
        await client.send('PUT', path, { ...withToken(), headers: xml, body }),
        await client.send('GET', '/?restype=service&comp=stats', {
          ...withToken(),
          headers: xml,
          prefix: '/devstoreaccount1-secondary',
        }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 202, 200]);
    });

    it.each([
      ['GET', undefined],
      ['PUT', ''],
      ['PUT', '<SignedIdentifiers />'],
      ['PUT', 'no XML'],
    ])('P10 answer ResourceNotFound for the policies of a table: %s %s', async (method, body) => {
      await client.send('POST', '/Tables', { body: { TableName: 'Policies' } });

      const answer = await client.send(method, '/Policies?comp=acl', { ...withToken(), headers: xml, body });

      const message = 'The specified resource does not exist.';
      expectTableError(answer, 404, 'ResourceNotFound', { set: 'A3', message });
    });

    it.each([
      'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
      'https://sts.microsoftonline.de/ab1f708d/',
      'https://sts.chinacloudapi.cn/ab1f708d/',
      'https://sts.windows-ppe.net/ab1f708d/',
    ])('may be issued by %s', async (iss) => {
      expect(await client.send('GET', '/Tables', withToken({ ...goodClaims(), iss }))).toMatchObject({ status: 200 });
    });

    it.each([
      'https://storage.azure.com',
      'https://storage.azure.com/',
      'e406a681-f3d4-42a8-90b6-c2b029497af1',
      'https://devstoreaccount1.table.core.windows.net',
      'https://devstoreaccount1.table.core.windows.net/',
      'https://devstoreaccount1.table.core.chinacloudapi.cn',
      'https://devstoreaccount1.table.core.usgovcloudapi.net',
      'https://devstoreaccount1.table.core.cloudapi.de',
    ])('may be for %s', async (aud) => {
      expect(await client.send('GET', '/Tables', withToken({ ...goodClaims(), aud }))).toMatchObject({ status: 200 });
    });

    const wrongClaims: readonly (readonly [what: string, claims: Readonly<Record<string, unknown>>])[] = [
      ['is not yet valid', { nbf: now() + 600 }],
      ['is expired', { exp: now() - 1 }],
      ['has no nbf', { nbf: undefined }],
      ['has no exp', { exp: undefined }],
      ['has no iat', { iat: undefined }],
      ['has no iss', { iss: undefined }],
      ['has no aud', { aud: undefined }],
      ['has an exp of text', { exp: '9999999999' }],
      ['is issued by an unknown issuer', { iss: 'https://sts.example/' }],
      ['is issued by an unknown issuer with a similar name', { iss: 'https://evil.example/https://sts.windows.net/' }],
      ['is for another service', { aud: 'https://vault.azure.net' }],
      ['is for another account', { aud: 'https://other.table.core.windows.net' }],
      ['is for the blobs of the account', { aud: 'https://devstoreaccount1.blob.core.windows.net' }],
      ['is for an unknown audience with a similar name', { aud: 'https://storage.azure.com.evil.example' }],
    ];

    it.each(wrongClaims)('are rejected by a version without challenges if one %s', async (_what, claims) => {
      const answer = await client.send('GET', '/Tables', withToken({ ...goodClaims(), ...claims }));

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json', message: failed });
    });

    it.each(wrongClaims)('are challenged by a version with challenges if one %s', async (_what, claims) => {
      const answer = await client.send('GET', '/Tables', {
        ...withToken({ ...goodClaims(), ...claims }),
        headers: { 'x-ms-version': '2020-12-06' },
      });

      expectTableError(answer, 401, 'InvalidAuthenticationInfo', challenged);
    });

    it.each([
      ['application/json', 279],
      ['application/xml', 399],
    ] as const)('A32 are challenged in the recorded form, with Accept %s', async (accept, length) => {
      const answer = await client.send('DELETE', "/Tables('Any')", {
        ...withToken({ ...goodClaims(), aud: 'https://vault.azure.net' }),
        headers: { accept, 'x-ms-version': '2025-07-05' },
      });

      expectTableError(answer, 401, 'InvalidAuthenticationInfo', { ...challenged, type: accept });
      expect(answer.headers['content-length']).toBe(String(length));
    });

    it('A33 reach the access policies of a table from version 2025-07-05 on', async () => {
      await client.send('POST', '/Tables', { body: { TableName: 'Reached' } });
      const headers = { ...xml, 'x-ms-version': '2025-07-05' };
      const body =
        '<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>';

      const missing = await client.send('GET', '/Missing?comp=acl', { ...withToken(), headers });
      const written = await client.send('PUT', '/Reached?comp=acl', { ...withToken(), headers, body });
      const read = await client.send('GET', '/Reached?comp=acl', { ...withToken(), headers });

      expectTableError(missing, 404, 'TableNotFound', { set: 'A3', message: 'The table specified does not exist.' });
      expect([written.status, read.status]).toEqual([204, 200]);
      expect(read.body).toContain('<Id>a</Id>');
    });

    it.each(['abc', 'a.b', 'a.b.c', `${writeToken()} more`, writeToken().replace('.', '')])(
      'cannot be read: %s',
      async (token) => {
        const answer = await client.send('GET', '/Tables', { auth: { token } });

        expectTableError(answer, 400, 'InvalidAuthenticationInfo', { set: 'A1', type: 'application/json' });
      },
    );

    it('are checked before path and body', async () => {
      const answer = await client.send('POST', '/no(such=syntax', {
        ...withToken({ ...goodClaims(), aud: 'x' }),
        body: 'no JSON',
      });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json' });
    });

    it('A3 are requested by a challenge with authority and resource, separated by blanks', async () => {
      const answer = await client.send('GET', '/Tables', { auth: 'none', headers: { 'x-ms-version': '2020-12-06' } });

      expectTableError(answer, 401, 'NoAuthenticationInformation', { set: 'A2', type: 'application/json' });
      const [scheme, ...parameters] = answer.headers['www-authenticate']?.split(' ') ?? [];
      const read = Object.fromEntries(parameters.map((parameter) => parameter.split(/=(.*)/s).slice(0, 2)));
      expect(scheme).toBe('Bearer');
      expect(Object.keys(read)).toEqual(['authorization_uri', 'resource_id']);
      expect(new URL(read.authorization_uri).pathname).toMatch(/^\/[0-9a-f-]{36}\/oauth2\/authorize$/);
      expect(new URL(read.resource_id).origin).toBe('https://storage.azure.com');
    });

    it('A3 are requested if the request has no version', async () => {
      const answer = await client.send('GET', '/Tables', { auth: 'none', headers: { 'x-ms-version': undefined } });

      expect(answer.status).toBe(401);
      expect(answer.headers).toHaveProperty('www-authenticate');
    });
  },
  { oauth: true },
);

describeHttpsService('Bearer tokens without --oauth', ({ client }) => {
  it('are rejected, even if valid', async () => {
    const answer = await client.send('GET', '/Tables', withToken());

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json', message: failed });
  });

  it.each(['2020-12-06', '2019-02-02'])('A34 are rejected for their form at version %s', async (version) => {
    const answer = await client.send('GET', '/Tables', {
      auth: { token: 'word' },
      headers: { 'x-ms-version': version },
    });

    expectTableError(answer, 400, 'InvalidAuthenticationInfo', { set: 'A1', type: 'application/json' });
    expect(answer.headers['content-length']).toBe('276');
  });
});

describeService('Bearer tokens over plain HTTP', ({ client }) => {
  it.each(['word', 'a.b', 'a.b.c.d.e'])('A34 are rejected for their form first: %s', async (token) => {
    const answer = await client.get('/Tables', { headers: { Authorization: `Bearer ${token}` } });

    expectTableError(answer, 400, 'InvalidAuthenticationInfo', { set: 'A1', type: 'application/json' });
  });

  it.each(['2019-02-02', '2020-12-06'])('A29 are rejected with version %s, even if valid', async (version) => {
    const answer = await client.get('/Tables', { version, headers: { Authorization: `Bearer ${writeToken()}` } });

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json', message: failed });
  });
});
