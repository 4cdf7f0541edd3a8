import { beforeAll, expect, it } from 'vitest';
import { why as whyVerb } from '../../../src/verbs/explanations.js';
import { requestList, requestShow } from '../../../src/verbs/journal.js';
import { describeHttpsService } from '../../support/servers/https-service.js';
import { identitiesOf, sampleIdentities, tokenOf } from '../../support/signatures/identity-service.js';

interface Why {
  readonly cause: string;
  readonly text: string;
  readonly advice?: string;
}

describeHttpsService(
  'Why an identity was rejected',
  ({ client, service }) => {
    beforeAll(async () => {
      for (const TableName of ['people', 'other']) await client.send('POST', '/Tables', { body: { TableName } });
    });
    const entity = { PartitionKey: 'p', RowKey: 'r' };
    const send = (token: string, method: string, path: string, body?: object, version = '2020-12-06') =>
      client.send(method, path, {
        auth: { token },
        body: body as Record<string, unknown>,
        headers: { 'x-ms-version': version },
      });
    const why = async (answer: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
      (await service().callVerb(whyVerb, { id: answer.headers['x-ms-request-id'] ?? '' })) as Why;

    it.each([
      [
        'reader',
        'POST',
        '/people',
        'role',
        'The identity reader has Storage Table Data Reader. The operation needs tables/entities/write, or tables/entities/add/action on the table people of devstoreaccount1.',
        'Storage Table Data Contributor permits it.',
      ],
      [
        'owner',
        'POST',
        '/people',
        'role-plane',
        'The identity owner has Owner. The operation needs tables/entities/write, or tables/entities/add/action on the table people of devstoreaccount1.',
        'Its roles manage accounts and tables; entities need a data role. Storage Table Data Contributor permits it.',
      ],
      [
        'people-only',
        'POST',
        '/other',
        'role-scope',
        'The identity people-only has Storage Table Data Contributor on the table people of devstoreaccount1. The operation needs tables/entities/write, or tables/entities/add/action on the table other of devstoreaccount1.',
        'Storage Table Data Contributor permits it, but not there. Assign it on the table other of devstoreaccount1.',
      ],
      [
        'people-only',
        'GET',
        '/Tables',
        'role-scope',
        'The identity people-only has Storage Table Data Contributor on the table people of devstoreaccount1. The operation needs tables/read on the account devstoreaccount1.',
        'Storage Table Data Contributor permits it, but not there. Assign it on the account devstoreaccount1.',
      ],
      [
        'nobody',
        'GET',
        '/people()',
        'role',
        'The identity nobody has no role. The operation needs tables/entities/read on the table people of devstoreaccount1.',
        'Storage Table Data Reader permits it.',
      ],
    ])(
      'names identity, role, scope and what is missing: %s, %s %s',
      async (name, method, path, cause, text, advice) => {
        const body = method === 'POST' ? entity : undefined;
        const answer = await send(await tokenOf(service(), name), method, path, body);

        expect(answer.status).toBe(403);
        expect(await why(answer)).toMatchObject({ cause, text, advice });
      },
    );

    it('names an identity that the file does not list', async () => {
      const { issuer, tenant } = identitiesOf(service());
      const claims = { oid: '33333333-3333-3333-3333-333333333333', tid: tenant, aud: 'https://storage.azure.com' };
      const now = Math.floor(Date.now() / 1000);
      const token = await issuer.sign({
        ...claims,
        iss: `https://sts.windows.net/${tenant}/`,
        nbf: now,
        exp: now + 60,
      });

      expect(await why(await send(token, 'GET', '/people()'))).toMatchObject({
        text: 'The identity file does not list the identity 33333333-3333-3333-3333-333333333333, so it has no role.',
      });
    });

    it('shows clients that request tokens of Cosmos DB what to write', async () => {
      const token = await tokenOf(service(), 'app1', { audience: 'https://cosmos.azure.com' });

      expect(await why(await send(token, 'GET', '/Tables'))).toMatchObject({
        cause: 'bearer-token',
        text: 'The token was rejected. Audience validation failed. Audience did not match. (expected https://storage.azure.com; found https://cosmos.azure.com)',
        advice: 'Clients request a Cosmos DB token if the host is localhost. Use 127.0.0.1 in the endpoint.',
      });
    });

    it.each(['2019-02-02', '2020-12-06'])('reports an unknown key, in version %s', async (version) => {
      const token = await identitiesOf(service()).issuer.sign(
        { iss: `https://sts.windows.net/${sampleIdentities.tenant}/` },
        { kid: 'old' },
      );
      const { text, advice } = await why(await send(token, 'GET', '/Tables', undefined, version));

      expect(text).toMatch(
        /^The token was rejected\. Signature validation failed\. The key of the token is not known\. \(expected \S+; found old\)$/,
      );
      expect(advice).toContain('a server in memory has a new key each time');
    });

    it('never shows a token or a secret, nor does the journal', async () => {
      const tokens = [
        await tokenOf(service(), 'reader'),
        await tokenOf(service(), 'app1', { audience: 'https://vault.azure.net' }),
        'a.b.c',
      ];
      for (const token of tokens) await why(await send(token, 'POST', '/people', entity));
      await client.send('GET', `/people()?access_token=${tokens[0]}`, { auth: { token: tokens[0] ?? '' } });
      const kept = await service().callVerb(requestList, { limit: 500 });
      const all = JSON.stringify(kept);

      for (const token of tokens.slice(0, 2)) for (const part of token.split('.')) expect(all).not.toContain(part);
      for (const { name } of identitiesOf(service()).list()) {
        expect(all).not.toContain(identitiesOf(service()).secrets.secretOf(name ?? ''));
      }
    });

    it('is beside who asked in the journal', async () => {
      const { objectId, clientId } = identitiesOf(service()).choose('reader');
      const answer = await send(await tokenOf(service(), 'reader'), 'GET', '/people()');
      const id = answer.headers['x-ms-request-id'];
      const { request: kept } = (await service().callVerb(requestShow, { id: id ?? '' })) as {
        readonly request: object;
      };

      expect(kept).toMatchObject({
        ...{ AuthenticationType: 'OAuth', Identity: 'reader', RequesterObjectId: objectId },
        ...{ RequesterAppId: clientId, RequesterTenantId: sampleIdentities.tenant },
      });
    });
  },
  { identity: sampleIdentities },
);
