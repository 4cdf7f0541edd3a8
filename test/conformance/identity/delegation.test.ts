import { createHmac } from 'node:crypto';
import { type CryptoKey, importJWK } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { delegationStringToSign } from '../../../src/auth/delegation-signature.js';
import { readDefinition } from '../../../src/identity/read-definition.js';
import { startTabularium } from '../../../src/index.js';
import { expectTableError } from '../../support/answers/expect-error.js';
import { describeHttpsService } from '../../support/servers/https-service.js';
import { identitiesOf, sampleIdentities, tokenOf } from '../../support/signatures/identity-service.js';

const key = {
  ...{ skoid: '3c1136b9-5fda-4e6d-85ee-2eed51a00c4a', sktid: '11111111-1111-1111-1111-111111111111' },
  ...{ skt: '2026-11-24T00:00:00Z', ske: '2026-11-25T00:00:00Z', sks: 't', skv: '2025-07-05', skdutid: '', sduoid: '' },
};
const empty = {
  si: '',
  ss: '',
  srt: '',
  ses: '',
  sip: '',
  spr: '',
  srk: '',
  erk: '',
  spk: '',
  epk: '',
  st: '',
  sig: '',
};

it('a signature by a user delegation key signs the documented text', () => {
  const fields = {
    ...empty,
    ...{ sp: 'r', st: '2026-11-24T00:00:00Z', se: '2026-11-24T12:00:00Z', spr: 'https', sv: '2025-07-05' },
    ...{ tn: 'People', spk: 'p1', epk: 'p9' },
  };
  const text = delegationStringToSign(fields, key, 'devstoreaccount1');
  const value = Buffer.from(Array.from({ length: 32 }, (_, at) => at));

  expect(createHmac('sha256', value).update(text).digest('base64')).toBe(
    'HQcsD8aYb91shUasNv+Iam6PefYeOiaks9Kl2YwiPQ4=',
  );
});

const instant = (ms: number) => `${new Date(Date.now() + ms).toISOString().slice(0, 19)}Z`;
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const keyInfo = (start: string | undefined, expiry: string, more = '') =>
  `<?xml version='1.0' encoding='utf-8'?>\n<KeyInfo>${start === undefined ? '' : `<Start>${start}</Start>`}<Expiry>${expiry}</Expiry>${more}</KeyInfo>`;

/** Identities of which one may delegate what it may do. */
const identities = {
  ...sampleIdentities,
  identities: {
    ...sampleIdentities.identities,
    issuer: { roles: ['Storage Table Delegator', 'Storage Table Data Contributor'] },
    'reading-issuer': { roles: ['Storage Table Delegator', 'Storage Table Data Reader'] },
  },
};

describeHttpsService(
  'A user delegation key',
  ({ client, service }) => {
    const ask = async (name: string, body: string, version = '2025-07-05') =>
      client.send('POST', '/?restype=service&comp=userdelegationkey', {
        auth: { token: await tokenOf(service(), name) },
        headers: { accept: 'application/xml', 'content-type': 'application/xml', 'x-ms-version': version },
        body,
      });
    const elementsOf = (xml: string) =>
      Object.fromEntries([...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [name, value]));
    /** Returns the parameters of a key, and its value. */
    const keyFor = async (name: string, { start = instant(-minute), expiry = instant(hour), more = '' } = {}) => {
      const { Value = '', ...signed } = elementsOf((await ask(name, keyInfo(start, expiry, more))).body);
      const fields = {
        skoid: signed['SignedOid'] ?? '',
        sktid: signed['SignedTid'] ?? '',
        skt: signed['SignedStart'] ?? '',
        ske: signed['SignedExpiry'] ?? '',
        sks: signed['SignedService'] ?? '',
        skv: signed['SignedVersion'] ?? '',
        skdutid: signed['SignedDelegatedUserTid'] ?? '',
        sduoid: '',
      };
      return { fields, value: Value };
    };
    /** Signs access to the table with a key. `unsigned` changes parameters after that. */
    const sign = (
      { fields, value }: Awaited<ReturnType<typeof keyFor>>,
      changes: Readonly<Record<string, string>> = {},
      unsigned: Readonly<Record<string, string>> = {},
    ) => {
      const all = { ...empty, sp: 'r', se: instant(hour), sv: '2025-07-05', tn: 'people', ...fields, ...changes };
      const text = delegationStringToSign(all, all, 'devstoreaccount1');
      const sig = createHmac('sha256', Buffer.from(value, 'base64')).update(text).digest('base64');
      const parameters = Object.entries({ ...all, sig, ...unsigned }).filter(([, text]) => text !== '');
      return parameters.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&');
    };
    const get = (query: string, token?: string) =>
      client.send('GET', `/people()?${query}`, { auth: token === undefined ? 'none' : { token } });
    beforeAll(async () => {
      await client.send('POST', '/Tables', { body: { TableName: 'people' } });
      for (const PartitionKey of ['p1', 'p2'])
        await client.send('POST', '/people', { body: { PartitionKey, RowKey: 'r' } });
    });

    it('is answered in the recorded form', async () => {
      const [start, expiry] = [instant(-minute), instant(hour)];
      const { status, headers, body } = await ask('delegator', keyInfo(start, expiry));
      const value = elementsOf(body)['Value'] ?? '';

      expect([status, headers['content-type'], headers['transfer-encoding']]).toEqual([
        200,
        'application/xml',
        'chunked',
      ]);
      expect(headers).toMatchObject({
        'x-ms-version': '2025-07-05',
        server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
      });
      expect(body).toMatch(
        new RegExp(
          `^\ufeff<\\?xml version="1.0" encoding="utf-8"\\?><UserDelegationKey><SignedOid>[0-9a-f-]{36}</SignedOid><SignedTid>${identities.tenant}</SignedTid>` +
            `<SignedStart>${start}</SignedStart><SignedExpiry>${expiry}</SignedExpiry><SignedService>t</SignedService><SignedVersion>2025-07-05</SignedVersion><Value>[^<]+</Value></UserDelegationKey>$`,
        ),
      );
      expect(Buffer.from(value, 'base64')).toHaveLength(32);
    });

    it('needs a role', async () => {
      expect((await ask('reader', keyInfo(undefined, instant(hour)))).body).toContain(
        'AuthorizationPermissionMismatch',
      );
      expect((await ask('owner', keyInfo(undefined, instant(hour)))).status).toBe(200);
    });

    it.each([
      ['longer than 7 days', keyInfo(instant(0), instant(7 * day + minute))],
      ['that begins after it ends', keyInfo(instant(2 * hour), instant(hour))],
      ['that has ended', keyInfo(instant(-2 * hour), instant(-hour))],
      ['with fractions of seconds', keyInfo(undefined, instant(hour).replace('Z', '.123Z'))],
      ['with a date that does not exist', keyInfo(undefined, '2026-02-31T25:00:00Z')],
    ])('is not one %s', async (_what, body) => {
      const answer = await ask('delegator', body);

      expectTableError(answer, 400, 'InvalidXmlNodeValue', { set: 'A3' });
    });

    it.each([
      '',
      '<KeyInfo/>',
      '<Other><Expiry>2099-01-01T00:00:00Z</Expiry></Other>',
      '<KeyInfo><Expiry/><Other/></KeyInfo>',
    ])('cannot be asked for with %j', async (body) => {
      expect((await ask('delegator', body)).status).toBe(400);
    });

    it('lets its holder do what the signature and the roles permit', async () => {
      const made = await keyFor('issuer');

      expect((await get(sign(made))).status).toBe(200);
      expect(
        (
          await client.send('POST', `/people?${sign(made, { sp: 'a' })}`, {
            auth: 'none',
            body: { PartitionKey: 'p1', RowKey: 'new' },
          })
        ).status,
      ).toBe(201);
      expectTableError(await get(sign(made, { sp: 'a' })), 403, 'AuthorizationPermissionMismatch');
      const reading = sign(await keyFor('reading-issuer'), { sp: 'a' });
      const insert = await client.send('POST', `/people?${reading}`, {
        auth: 'none',
        body: { PartitionKey: 'p1', RowKey: 'never' },
      });
      expectTableError(insert, 403, 'AuthorizationPermissionMismatch');
      expectTableError(await get(sign(await keyFor('delegator'))), 403, 'AuthorizationPermissionMismatch');
    });

    it('limits to a range of keys', async () => {
      const { body } = await get(sign(await keyFor('issuer'), { spk: 'p2', epk: 'p2' }));

      expect(body).toContain('"PartitionKey":"p2"');
      expect(body).not.toContain('"PartitionKey":"p1"');
    });

    it.each([
      ['another table', {}, { tn: 'other' }],
      ['more permissions', {}, { sp: 'raud' }],
      ['another tenant', {}, { sktid: '22222222-2222-2222-2222-222222222222' }],
      ['another identity', {}, { skoid: '22222222-2222-2222-2222-222222222222' }],
      ['a later end of the key', {}, { ske: instant(6 * day) }],
      ['another service', { sks: 'q' }, {}],
      ['no service', { sks: '' }, {}],
      ['an older version', { sv: '2020-12-06' }, {}],
      ['an older version of the key', { skv: '2020-12-06' }, {}],
      ['a stored policy', { si: 'policy' }, {}],
      ['resource types', { srt: 'sco', ss: 't' }, {}],
      ['no end', { se: '' }, {}],
      ['an end that has passed', { se: instant(-minute) }, {}],
      ['a start that has not come', { st: instant(hour / 2) }, {}],
      ['a line end in a parameter', { spk: 'a\nb' }, {}],
      ['no permissions', { sp: '' }, {}],
    ])('does not hold for %s', async (_what, changes, unsigned) => {
      const answer = await get(
        sign(await keyFor('issuer'), changes as Record<string, string>, unsigned as Record<string, string>),
      );

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json' });
    });

    it('does not hold with a parameter that is there twice', async () => {
      const query = sign(await keyFor('issuer'));

      expect((await get(`${query}&sduoid=a&sduoid=b`)).status).toBe(403);
      expect((await get(`${query}&sp=raud`)).status).toBe(403);
    });

    it('may be bound to a user, whose token the request must have', async () => {
      const { identities: known } = service();
      const app = known?.choose('app1');
      const made = await keyFor('issuer', { more: `<DelegatedUserTid>${identities.tenant}</DelegatedUserTid>` });
      const bound = sign(made, { sduoid: app?.objectId ?? '' });

      expect((await get(bound)).status).toBe(403);
      expect((await get(bound, await tokenOf(service(), 'reader'))).status).toBe(403);
      expect((await get(bound, await tokenOf(service(), 'app1', { audience: 'https://vault.azure.net' }))).status).toBe(
        403,
      );
      expect((await get(bound, await tokenOf(service(), 'app1'))).status).toBe(200);
      const foreign = await keyFor('issuer', {
        more: '<DelegatedUserTid>22222222-2222-2222-2222-222222222222</DelegatedUserTid>',
      });
      const other = sign(foreign, { sduoid: app?.objectId ?? '' });
      expect((await get(other, await tokenOf(service(), 'app1'))).status).toBe(403);
    });

    it('bound to a user is not for the same ID in another tenant, which a trusted issuer names', async () => {
      const known = identitiesOf(service());
      const tenants = [identities.tenant.toUpperCase(), '22222222-2222-2222-2222-222222222222'] as const;
      const { objectId: oid } = known.choose('app1');
      const bound = sign(await keyFor('issuer'), { sduoid: oid });
      const definition = readDefinition(identities, 'test');
      const ownKey = (await importJWK(known.issuer.publicKey, 'RS256')) as CryptoKey;
      const keys = new Map([[known.issuer.publicKey.kid ?? '', ownKey]]);
      const trusted = (tid: string) => (tid === tenants[0] ? known.issuerName : 'https://issuer/');
      const times = { nbf: Math.floor(Date.now() / 1000) - 60, exp: Math.floor(Date.now() / 1000) + 3600 };
      const aud = 'https://storage.azure.com';
      known.replace({ ...definition, trustedKeys: new Map([['https://issuer/', keys]]) });
      try {
        const tokens = tenants.map((tid) => known.issuer.sign({ iss: trusted(tid), aud, oid, tid, ...times }));
        const answers = tokens.map(async (token) => (await get(bound, await token)).status);
        expect(await Promise.all(answers)).toEqual([200, 403]);
      } finally {
        known.replace({ ...definition, trustedKeys: new Map() });
      }
    });

    it('is given to azure-storage-queue as to others: to a delegator, for at most 7 days from now, over HTTPS', async () => {
      // What azure-storage-queue 12.18.1 sends to get_user_delegation_key.
      const version = '2026-10-06';
      const info = keyInfo(instant(0), instant(hour));
      const answers = [
        await ask('delegator', info, version),
        await ask('reader', info, version),
        await ask('delegator', keyInfo(instant(0), instant(8 * day)), version),
        await ask('delegator', keyInfo(instant(-2 * day), instant(-day)), version),
      ];
      await using plain = await startTabularium();
      const overHttp = await fetch(`${plain.endpoint()}/?restype=service&comp=userdelegationkey`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${await tokenOf(service(), 'delegator')}`, 'x-ms-version': version },
        body: info,
      });

      expect([...answers, overHttp].map(({ status }) => status)).toEqual([200, 403, 400, 400, 403]);
    });

    it('signs reads and ranges, until the key or the role of its issuer ends; not for a queue, another tenant or an older version', async () => {
      const made = await keyFor('issuer');
      const other = '22222222-2222-2222-2222-222222222222';
      const ended = { skt: instant(-2 * hour), ske: instant(-hour) };
      const { skoid: objectId, sktid: tenant } = made.fields;
      const value = identitiesOf(service()).delegationValue({
        ...{ account: 'devstoreaccount1', objectId, tenant, start: ended.skt, expiry: ended.ske },
        ...{ service: 't', version: '2025-07-05', delegatedTenant: '' },
      });
      const endedKey = { fields: { ...made.fields, ...ended }, value: value.toString('base64') };
      const statusOf = async (query: string) => (await get(query)).status;

      expect(await statusOf(sign(made))).toBe(200);
      expect((await get(sign(made, { spk: 'p1', epk: 'p1' }))).body).not.toContain('"PartitionKey":"p2"');
      expect(await statusOf(sign(endedKey))).toBe(403);
      expect(await statusOf(sign(made, { sks: 'q' }))).toBe(403);
      expect(await statusOf(sign(made, {}, { sktid: other }))).toBe(403);
      expect(await statusOf(sign(made, { sv: '2020-12-06' }))).toBe(403);

      const replace = (definition: object) =>
        identitiesOf(service()).replace({ ...readDefinition(definition, 'test'), trustedKeys: new Map() });
      try {
        replace({
          ...identities,
          identities: { ...identities.identities, issuer: { roles: ['Storage Table Delegator'] } },
        });
        expectTableError(await get(sign(made)), 403, 'AuthorizationPermissionMismatch');
      } finally {
        replace(identities);
      }
      expect(await statusOf(sign(made))).toBe(200);
    });

    it('is the same for the same times, and another one for others', async () => {
      const [start, expiry] = [instant(-minute), instant(hour)];

      expect((await keyFor('issuer', { start, expiry })).value).toBe((await keyFor('issuer', { start, expiry })).value);
      expect((await keyFor('issuer', { start, expiry: instant(2 * hour) })).value).not.toBe(
        (await keyFor('issuer', { start, expiry })).value,
      );
    });
  },
  { identity: identities },
);
