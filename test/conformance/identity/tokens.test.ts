import { createHmac, createPublicKey, randomBytes } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectTableError } from '../../support/answers/expect-error.js';
import { describeHttpsService } from '../../support/servers/https-service.js';
import { identitiesOf, sampleIdentities, tokenOf } from '../../support/signatures/identity-service.js';

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const challenge = (code: string) =>
  [code, `/${sampleIdentities.tenant}/oauth2/authorize resource_id=https://storage.azure.com`] as const;

describeHttpsService(
  'A verified token',
  ({ client, service }) => {
    const ask = (token: string | undefined, version = '2020-12-06', path = '/Tables') =>
      client.send('GET', path, {
        auth: token === undefined ? 'none' : { token },
        headers: { 'x-ms-version': version },
      });
    const now = Math.floor(Date.now() / 1000);
    let good = '';
    let kid = '';
    let claims: Record<string, unknown> = {};
    beforeAll(async () => {
      good = await tokenOf(service(), 'app1');
      kid = identitiesOf(service()).issuer.publicKey.kid ?? '';
      claims = decodeJwt(good);
    });
    /** Signs claims with the server's key, as no client can. */
    const sign = async (changed: object, header: object = {}) => {
      const { issuer } = identitiesOf(service());
      return issuer.sign({ ...claims, ...changed }, header);
    };
    const foreignKey = async () => (await generateKeyPair('RS256')).privateKey;
    const publicPem = () =>
      createPublicKey({ key: identitiesOf(service()).issuer.publicKey, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
    const hs256 = (secret: string | Buffer) => {
      const text = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${encode(claims)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };

    it('is accepted, again and again', async () => {
      expect((await ask(good)).status).toBe(200);
      expect((await ask(good)).status).toBe(200);
    });

    const forged: readonly (readonly [what: string, make: () => string | Promise<string>])[] = [
      [
        'signed with another key, of the same ID',
        async () => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(await foreignKey()),
      ],
      ['without a signature', () => new UnsecuredJWT(claims).encode()],
      [
        'of the algorithm none, with a signature',
        () => `${encode({ alg: 'none', kid })}.${good.split('.').slice(1).join('.')}`,
      ],
      ...[1, true, {}, ['a']].map(
        (id) =>
          [
            `with the key ID ${JSON.stringify(id)}`,
            () => `${encode({ alg: 'RS256', kid: id })}.${encode(claims)}.AA`,
          ] as const,
      ),
      ['with a padded signature', () => `${good}==`],
      ['of a tenant that is not that of its issuer', () => sign({ tid: '99999999-0000-0000-0000-000000000000' })],
      ['signed by HS256 with any secret', () => hs256(randomBytes(32))],
      ['signed by HS256 with the public key in PEM', () => hs256(String(publicPem()))],
      [
        'signed by HS256 with the modulus of the public key',
        () => hs256(identitiesOf(service()).issuer.publicKey.n ?? ''),
      ],
      ['signed by RS512 with the right key', () => sign({}, { alg: 'RS512' })],
      ['signed by PS256 with the right key', () => sign({}, { alg: 'PS256' })],
      ['with changed claims', () => `${good.split('.')[0]}.${encode({ ...claims, oid: 'x' })}.${good.split('.')[2]}`],
      [
        'with one character changed in its signature',
        () => good.slice(0, -10) + (good.at(-10) === 'A' ? 'B' : 'A') + good.slice(-9),
      ],
      [
        'with a key in its header',
        async () => {
          const { privateKey, publicKey } = await generateKeyPair('RS256');
          return new SignJWT(claims)
            .setProtectedHeader({ alg: 'RS256', kid, jwk: (await exportJWK(publicKey)) as JWK })
            .sign(privateKey);
        },
      ],
      [
        'with the address of a key in its header',
        async () =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: 'RS256', kid, jku: 'https://example.com/keys' })
            .sign(await foreignKey()),
      ],
      ['with a path as key ID', () => sign({}, { kid: '../../../../dev/null' })],
      ['with the name of a member of every object as key ID', () => sign({}, { kid: '__proto__' })],
      [
        'with a critical header that is not known',
        () => `${encode({ alg: 'RS256', kid, crit: ['x'], x: 1 })}.${good.split('.').slice(1).join('.')}`,
      ],
      ['that has expired', () => sign({ exp: now - 1 })],
      ['that is not valid yet', () => sign({ nbf: now + 600 })],
      ['without an expiry', () => sign({ exp: undefined })],
      ['with an expiry that is a string', () => sign({ exp: String(now + 600) })],
      ['without a start', () => sign({ nbf: undefined })],
      ['of another issuer', () => sign({ iss: 'https://sts.windows.net/22222222-2222-2222-2222-222222222222/' })],
      ['whose issuer begins as the right one', () => sign({ iss: `${claims['iss']}x` })],
      ['without an issuer', () => sign({ iss: undefined })],
      ['without an identity', () => sign({ oid: undefined })],
      ['with a list as identity', () => sign({ oid: [claims['oid']] })],
      ['without an audience', () => sign({ aud: undefined })],
      ['for another account', () => sign({ aud: 'https://other.table.core.windows.net' })],
      ['for Cosmos DB', () => sign({ aud: 'https://cosmos.azure.com' })],
      ['for Key Vault', () => sign({ aud: 'https://vault.azure.net' })],
      ['with text after it', () => `${good}x`],
    ];

    it.each(forged)('is not one %s', async (_what, make) => {
      const token = await make();
      const answer = await ask(token);
      const older = await ask(token, '2019-02-02');

      expectTableError(answer, 401, 'InvalidAuthenticationInfo', {
        set: 'A1',
        type: 'application/json',
        challenge: true,
        message: /^Server failed to authenticate the request\. Please refer to the information in the www-authenticate/,
      });
      expect(answer.headers['www-authenticate']).toContain(challenge('')[1]);
      expectTableError(older, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json' });
      expect((await ask(good)).status).toBe(200);
    });

    it.each([
      ['one part', () => 'abc'],
      ['two parts', () => good.split('.').slice(0, 2).join('.')],
      ['five parts', () => `${good}.a.b`],
    ])('is not even read if it has %s', async (_what, make) => {
      for (const version of ['2020-12-06', '2019-02-02']) {
        const answer = await ask(make(), version);

        expectTableError(answer, 400, 'InvalidAuthenticationInfo', { set: 'A1', type: 'application/json' });
      }
    });

    it.each([
      ['POST', '/Tables', 'application/json;odata=minimalmetadata', '{"TableName":"Created"}'],
      ['DELETE', "/Tables('Created')", 'application/json', undefined],
    ] as const)(
      'is rejected with the recorded answer if it is of another tenant: %s %s',
      async (method, path, accept, body) => {
        const {
          status,
          headers,
          body: text,
        } = await client.send(method, path, {
          auth: { token: await sign({ iss: 'https://sts.windows.net/22222222-2222-2222-2222-222222222222/' }) },
          headers: {
            'x-ms-version': '2025-07-05',
            accept,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          body,
        });
        const { 'x-ms-request-id': id, date: _, connection: __, 'keep-alive': ___, ...head } = headers;

        expect(status).toBe(401);
        expect(head).toEqual({
          'content-length': '279',
          'content-type': 'application/json',
          server: 'Microsoft-HTTPAPI/2.0',
          'www-authenticate': `Bearer authorization_uri=https://login.microsoftonline.com/${sampleIdentities.tenant}/oauth2/authorize resource_id=https://storage.azure.com`,
          'x-ms-error-code': 'InvalidAuthenticationInfo',
        });
        expect(JSON.parse(text)).toEqual({
          'odata.error': {
            code: 'InvalidAuthenticationInfo',
            message: {
              lang: 'en-US',
              value: expect.stringMatching(
                /^Server failed to authenticate the request\. Please refer to the information in the www-authenticate header\.\nRequestId:[0-9a-f-]{36}\nTime:\S+Z$/,
              ),
            },
          },
        });
        expect(text).toContain(String(id));
      },
    );

    it.each([
      ['https://storage.azure.com/', 200],
      ['https://devstoreaccount1.table.core.windows.net', 200],
      ['https://devstoreaccount1.table.core.usgovcloudapi.net/', 200],
      ['e406a681-f3d4-42a8-90b6-c2b029497af1', 200],
    ])('may be for %s', async (audience, status) => {
      expect((await ask(await tokenOf(service(), 'app1', { audience }))).status).toBe(status);
    });

    it('of an identity that the file does not list has no role', async () => {
      const answer = await ask(await sign({ oid: '33333333-3333-3333-3333-333333333333' }));

      expectTableError(answer, 403, 'AuthorizationPermissionMismatch');
    });

    it('is rejected at the second at which it expires, also if it was accepted before', async () => {
      const { verify } = { verify: (at: number) => identitiesOf(service()).verify(good, at) };
      const expiry = Number(claims['exp']) * 1000;

      await verify(expiry - 1);
      expect(() => verify(expiry)).toThrow('Lifetime validation failed. The token is expired.');
    });
  },
  { identity: sampleIdentities },
);

describeHttpsService(
  'A request without credentials to an account with identities',
  ({ client }) => {
    describe('is', () => {
      it.each([
        ['2020-12-06', 401, 'NoAuthenticationInformation'],
        ['2019-12-12', 403, 'AuthenticationFailed'],
        ['2019-02-02', 403, 'AuthenticationFailed'],
      ])('rejected in version %s with %i %s', async (version, status, code) => {
        const answer = await client.send('GET', '/Tables', { auth: 'none', headers: { 'x-ms-version': version } });

        expect([answer.status, answer.headers['x-ms-error-code']]).toEqual([status, code]);
        expect(answer.headers['www-authenticate'] ?? '').toBe(
          status === 401
            ? `Bearer authorization_uri=https://login.microsoftonline.com/${sampleIdentities.tenant}/oauth2/authorize resource_id=https://storage.azure.com`
            : '',
        );
      });
    });
  },
  { identity: sampleIdentities },
);
