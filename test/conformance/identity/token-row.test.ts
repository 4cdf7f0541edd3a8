import { request } from 'node:https';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { identityEnvironment, identityList, identityToken } from '../../../src/verbs/identities.js';
import { describeHttpsService } from '../../support/servers/https-service.js';
import { identitiesOf, type SampleName, sampleIdentities } from '../../support/signatures/identity-service.js';

interface RowAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

describeHttpsService(
  'The token endpoint',
  ({ service }) => {
    const ask = (query: string, headers: Readonly<Record<string, string>>, method = 'GET', row = 'token') =>
      new Promise<RowAnswer>((resolve, reject) => {
        const { url, ca } = service();
        const outgoing = request(
          `${url}/_tabularium/identity/${row}${query}`,
          { method, headers, ca, checkServerIdentity: () => undefined },
          (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (piece: string) => {
              text += piece;
            });
            response.on('end', () =>
              resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) }),
            );
          },
        );
        outgoing.on('error', reject).end();
      });
    const secretOf = (name: string) => identitiesOf(service()).secrets.secretOf(name);
    const header = (name: string) => ({ 'X-IDENTITY-HEADER': secretOf(name) });
    const resource = '?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com';

    it('answers as Azure App Service, with five strings', async () => {
      const { status, headers, body } = await ask(resource, header('reader'));
      const claims = decodeJwt(String(body['access_token']));

      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(Object.keys(body)).toEqual(['access_token', 'client_id', 'expires_on', 'resource', 'token_type']);
      expect(Object.values(body).map((value) => typeof value)).toEqual(Array(5).fill('string'));
      expect(body).toMatchObject({
        resource: 'https://storage.azure.com',
        token_type: 'Bearer',
        client_id: claims['appid'],
      });
      expect(body['expires_on']).toBe(String(claims.exp));
    });

    it('writes the claims of a token for storage', async () => {
      const { body } = await ask(resource, header('app1'));
      const { iat = 0, exp = 0, nbf, uti, ...claims } = decodeJwt(String(body['access_token']));
      const { clientId, objectId, tenant } = identitiesOf(service()).choose('app1');
      const issuer = `https://sts.windows.net/${tenant}/`;

      expect(claims).toEqual({
        ...{ aud: 'https://storage.azure.com', iss: issuer, idp: issuer, tid: tenant, ver: '1.0' },
        ...{ appid: clientId, appidacr: '2', idtyp: 'app', oid: objectId, sub: objectId },
      });
      expect([exp - iat, nbf, typeof uti]).toEqual([86_700, iat, 'string']);
    });

    it('accepts a resource that is not percent-encoded, and one with a slash', async () => {
      for (const name of ['https://storage.azure.com', 'https://storage.azure.com/']) {
        const { body } = await ask(`?api-version=2019-08-01&resource=${name}`, header('app1'));
        expect(decodeJwt(String(body['access_token'])).aud).toBe(name);
      }
    });

    const ids = ['client_id', 'object_id', 'principal_id', 'mi_res_id'] as const;
    const idOf = (name: SampleName, by: (typeof ids)[number]) => {
      const { clientId = '', objectId } = identitiesOf(service()).choose(name);
      const resourceId = `/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
      return { client_id: clientId, object_id: objectId, principal_id: objectId, mi_res_id: resourceId }[by];
    };

    it.each(ids)('gives the token of the identity of the secret that %s names, in any letter case', async (by) => {
      const id = idOf('adder', by);
      for (const named of by === 'mi_res_id' ? [id] : [id, id.toUpperCase()]) {
        const { body } = await ask(`${resource}&${by}=${encodeURIComponent(named)}`, header('adder'));
        expect(body['client_id']).toBe('22222222-2222-2222-2222-222222222222');
      }
    });

    it.each(ids)('gives no token of another identity that %s names', async (by) => {
      const { status, body } = await ask(`${resource}&${by}=${encodeURIComponent(idOf('app1', by))}`, header('nobody'));

      expect([status, body['message']]).toEqual([
        400,
        'No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.',
      ]);
    });

    it.each([
      ['no secret', resource, () => ({}), 401, 'The X-IDENTITY-HEADER is missing or not known.'],
      [
        'a wrong secret',
        resource,
        () => ({ 'X-IDENTITY-HEADER': 'x' }),
        401,
        'The X-IDENTITY-HEADER is missing or not known.',
      ],
      [
        'an empty secret',
        resource,
        () => ({ 'X-IDENTITY-HEADER': '' }),
        401,
        'The X-IDENTITY-HEADER is missing or not known.',
      ],
      ['no resource', '?api-version=2019-08-01', () => header('app1'), 400, 'The parameter resource is missing.'],
      [
        'an unknown client ID',
        `${resource}&client_id=33333333-3333-3333-3333-333333333333`,
        () => header('app1'),
        400,
        'No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.',
      ],
    ])('rejects %s', async (_what, query, headers, statusCode, message) => {
      const { status, body } = await ask(query, headers());

      expect([status, body]).toEqual([statusCode, { statusCode, message }]);
    });

    it.each([
      ['another origin', { Origin: 'https://example.com' }],
      ['an origin that is not told', { Origin: 'null' }],
      ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
      ['another port of this machine', { 'Sec-Fetch-Site': 'same-site' }],
      ['a host that it owns', { Host: 'evil.example' }],
    ])('rejects the page of %s, even with a secret', async (_what, headers) => {
      const { status, body } = await ask(resource, { ...header('app1'), ...headers });

      expect(status).toBe(403);
      expect(body).not.toHaveProperty('access_token');
    });

    it('answers no preflight, which a page needs to send the header', async () => {
      const asked = {
        Origin: 'https://example.com',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-identity-header',
      };
      const { status, headers } = await ask(resource, asked, 'OPTIONS');

      expect(status).toBe(405);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    it('has the public key and the issuer beside it, open to all', async () => {
      const keys = await ask('', {}, 'GET', 'keys');
      const found = await ask('', {}, 'GET', '.well-known/openid-configuration');
      const [key] = keys.body['keys'] as readonly Readonly<Record<string, string>>[];

      expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(found.body).toMatchObject({
        issuer: `https://sts.windows.net/${sampleIdentities.tenant}/`,
        jwks_uri: `${service().url}/_tabularium/identity/keys`,
      });
    });

    it.each(['evil', 'evil:1', '10.1.2.3'])(
      'names its own host as that of its keys, not %s of the request',
      async (host) => {
        const found = await ask('', { Host: host }, 'GET', '.well-known/openid-configuration');

        expect(found.body).toMatchObject({
          jwks_uri: `${service().url}/_tabularium/identity/keys`,
          token_endpoint: `${service().url}/_tabularium/identity/token`,
        });
      },
    );

    it('lists identities and roles without secrets, and issues tokens to the owner', async () => {
      const listed = await service().callVerb(identityList, {});
      const body = { expires: '60s', resource: 'x' };
      const issued = await service().callVerb(identityToken, { name: 'reader', ...body });
      const { iat = 0, exp = 0, aud } = decodeJwt((issued as { token: string }).token);

      expect(JSON.stringify(listed)).not.toContain(secretOf('reader'));
      expect(listed).toMatchObject({
        keys: 'accepted',
        identities: expect.arrayContaining([expect.objectContaining({ name: 'reader' })]),
      });
      expect([exp - iat, aud]).toEqual([360, 'x']);
    });

    it('gives the owner the environment of an identity', async () => {
      const { set } = (await service().callVerb(identityEnvironment, { name: 'reader' })) as {
        set: readonly { name: string; value: string }[];
      };

      expect(Object.fromEntries(set.map(({ name, value }) => [name, value]))).toEqual({
        IDENTITY_ENDPOINT: `${service().url}/_tabularium/identity/token`,
        IDENTITY_HEADER: secretOf('reader'),
        AZURE_CLIENT_ID: identitiesOf(service()).choose('reader').clientId,
        AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
        AZURE_TABLES_ENDPOINT: service().base,
      });
    });

    it.each([
      ['reder', {}, "There is no identity 'reder'. Did you mean 'reader'?"],
      ['reader', { expires: '10ms' }, 'A token is valid for 1s to 365d; got 10ms.'],
      ['reader', { expires: '366d' }, 'A token is valid for 1s to 365d; got 366d.'],
    ])('rejects what the owner asks of %s: %o', async (name, body, message) => {
      const asked = service().callVerb(identityToken, { name, ...body });

      await expect(asked).rejects.toThrow(message);
    });
  },
  { identity: sampleIdentities },
);
