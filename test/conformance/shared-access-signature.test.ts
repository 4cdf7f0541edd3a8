import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';
import { accountAccess, signAccess, tableAccess, withAccess } from '../support/signatures/sign-access.js';

const bySignature = { auth: 'none' } as const;
const firstKey = developmentAccount.keys[0] ?? '';
const secondKey = Buffer.from('the second key of the account').toString('base64');
const account = { name: developmentAccount.name, keys: [firstKey, secondKey] };

const usingThis = (what: string) => `This request is not authorized to perform this operation using this ${what}.`;

describeService(
  'Shared access signatures',
  ({ client, withTable, withEntity }) => {
    it.each(['w', 'c', 'rdlc'])('A10 creates a table with an account signature of sp=%s', async (sp) => {
      const path = withAccess('/Tables', accountAccess({ sp }));

      const answer = await client.post(path, { TableName: `Created${sp}` }, bySignature);

      expectSuccess(answer, 201, { Location: expect.stringMatching(/\/Tables\('Created/) });
    });

    it('A10 rejects to create a table with sp=d', async () => {
      const path = withAccess('/Tables', accountAccess({ sp: 'd' }));

      const answer = await client.post(
        path,
        { TableName: 'Rejected' },
        { ...bySignature, prefer: 'return-no-content' },
      );

      const message = usingThis('permission');
      expectTableError(answer, 403, 'AuthorizationPermissionMismatch', { set: 'B2', message });
      expect((await client.get("/Tables('Rejected')")).status).toBe(404);
    });

    it('A11 rejects to create a table with srt=s, which can read the service properties', async () => {
      const query = signAccess(accountAccess({ srt: 's' }));

      const created = await client.post(`/Tables?${query}`, { TableName: 'Rejected' }, bySignature);
      const settings = await client.get(`/?restype=service&comp=properties&${query}`, {
        ...bySignature,
        accept: false,
      });

      const message = usingThis('resource type');
      expectTableError(created, 403, 'AuthorizationResourceTypeMismatch', { set: 'B2', message });
      expect(settings.status).toBe(200);
    });

    it('A12 queries entities with an account signature of srt=o and sp=r', async () => {
      const { table } = await withEntity();

      const answer = await client.get(withAccess(`/${table}()`, accountAccess({ srt: 'o', sp: 'r' })), bySignature);

      expectSuccess(answer, 200);
      expect(answer.rows).toHaveLength(1);
    });

    it('A13 deletes a table with an account signature of sp=d', async () => {
      const table = await withTable();

      const answer = await client.delete(withAccess(`/Tables('${table}')`, accountAccess({ sp: 'd' })), bySignature);

      expectSuccess(answer, 204);
    });

    it.each([
      ['upper', (name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()],
      ['lower', (name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()],
      ['as created', (name: string) => name, (name: string) => name.toLowerCase()],
    ])('A14 compares the table regardless of letter case: tn %s', async (_case, signed, asked) => {
      const { table } = await withEntity();

      const answer = await client.get(withAccess(`/${asked(table)}`, tableAccess(signed(table))), bySignature);

      expect(answer.status, answer.body).toBe(200);
      expect(answer.rows).toHaveLength(1);
    });

    it('A15 inserts with sp=a, updates with sp=u and deletes with sp=d', async () => {
      const table = await withTable();
      const path = `/${table}(PartitionKey='p',RowKey='r')`;
      const by = (target: string, sp: string) => withAccess(target, tableAccess(table, { sp }));

      const answers = [
        await client.post(by(`/${table}`, 'a'), { PartitionKey: 'p', RowKey: 'r' }, bySignature),
        await client.put(by(path, 'u'), { A: 1 }, { ...bySignature, ifMatch: '*' }),
        await client.delete(by(path, 'd'), { ...bySignature, ifMatch: '*' }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([201, 204, 204]);
    });

    it('A16 rejects a query with sp=a', async () => {
      const { table } = await withEntity();

      const answer = await client.get(withAccess(`/${table}`, tableAccess(table, { sp: 'a' })), bySignature);

      const message = usingThis('permission');
      expectTableError(answer, 403, 'AuthorizationPermissionMismatch', { set: 'B2', message });
    });

    it.each(['PUT', 'MERGE', 'PATCH'])('A17 rejects an upsert with only sp=u: %s without If-Match', async (method) => {
      const { table, path } = await withEntity();
      const by = (sp: string) => withAccess(path, tableAccess(table, { sp }));

      const rejected = await client.send(method, by('u'), { ...bySignature, body: { A: 2 } });
      const taken = await client.send(method, by('au'), { ...bySignature, body: { A: 2 } });

      expectTableError(rejected, 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
      expect(taken.status).toBe(204);
    });

    it('A18 rejects another table', async () => {
      const [table, other] = [await withTable(), await withTable()];

      const answer = await client.get(withAccess(`/${other}`, tableAccess(table)), bySignature);

      const message = 'This request is not authorized to perform this operation.';
      expectTableError(answer, 403, 'AuthorizationFailure', { set: 'B2', message });
    });

    it.each([
      ['GET', '/Tables'],
      ['POST', '/Tables'],
      ['DELETE', "/Tables('TABLE')"],
      ['GET', "/Tables('TABLE')"],
    ])('rejects a table signature for %s %s', async (method, path) => {
      const table = await withTable();
      const target = withAccess(path.replace('TABLE', table), tableAccess(table));
      const body = method === 'POST' ? { TableName: 'Other' } : undefined;

      const answer = await client.send(method, target, { ...bySignature, body });

      expectTableError(answer, 403, 'AuthorizationFailure', { set: 'B2' });
    });

    it.each(['properties', 'stats'])('rejects a table signature for the %s of the service', async (comp) => {
      const table = await withTable();
      const path = withAccess(`/?restype=service&comp=${comp}`, tableAccess(table));

      const answer = await client.get(path, { ...bySignature, accept: false });

      expectTableError(answer, 403, 'AuthorizationFailure', { set: 'A3' });
    });

    it.each(['before', 'between', 'after'])('A26 accepts the fields %s the other options', async (place) => {
      const { table } = await withEntity();
      const fields = signAccess(tableAccess(table));
      const queries: Record<string, string> = {
        before: `${fields}&$format=application%2Fjson&$filter=A%20eq%20'x'`,
        between: `$format=application%2Fjson&${fields}&$filter=A%20eq%20'x'`,
        after: `$format=application%2Fjson&$filter=A%20eq%20'x'&${fields}`,
      };

      const answer = await client.get(`/${table}?${queries[place]}`, bySignature);

      expect(answer.rows).toHaveLength(1);
    });

    it('A26 accepts the fields in any order, sig first', async () => {
      const { table } = await withEntity();
      const fields = signAccess(tableAccess(table)).split('&').reverse().join('&');

      const answer = await client.get(`/${table}?${fields}`, bySignature);

      expect(answer.status, answer.body).toBe(200);
    });

    it.each(['2015-04-05', '2019-02-02', '2020-12-06', '2021-08-06'])(
      'A30 accepts account signatures of version %s',
      async (sv) => {
        const answer = await client.get(withAccess('/Tables', accountAccess({ sv })), bySignature);

        expectSuccess(answer, 200);
      },
    );

    it.each(['2020-12-06', '2021-08-06'])(
      'A30 includes the encryption scope in the text to sign with %s',
      async (sv) => {
        const answer = await client.get(withAccess('/Tables', accountAccess({ sv, ses: 'scope' })), bySignature);

        expect(answer.status, answer.body).toBe(200);
      },
    );

    it.each(['2013-08-15', '2014-02-14', '2015-02-21', '2015-04-05', '2019-02-02', '2020-12-06', '2021-08-06'])(
      'A30 accepts table signatures of version %s',
      async (sv) => {
        const { table } = await withEntity();

        const answer = await client.get(withAccess(`/${table}`, tableAccess(table, { sv })), bySignature);

        expect(answer.status, answer.body).toBe(200);
        expect(answer.rows).toHaveLength(1);
      },
    );

    it('A30 accepts table signatures of 2012-02-12, and answers JSON if api-version allows it', async () => {
      const { table } = await withEntity();
      const path = withAccess(`/${table}`, tableAccess(table, { sv: '2012-02-12' }));

      const old = await client.get(path, bySignature);
      const asked = await client.get(`${path}&api-version=2019-02-02`, bySignature);

      expect(old.json).toMatchObject({ 'odata.error': { code: 'JsonFormatNotSupported' } });
      expect(asked.rows).toHaveLength(1);
    });

    it.each(['first', 'second'] as const)('accepts the %s key of the account', async (which) => {
      const { table } = await withEntity();
      const key = which === 'first' ? firstKey : secondKey;
      const signer = { name: account.name, keys: [key] };

      const byTable = await client.get(withAccess(`/${table}`, tableAccess(table), signer), bySignature);
      const byAccount = await client.get(withAccess('/Tables', accountAccess(), signer), bySignature);

      expect([byTable.status, byAccount.status]).toEqual([200, 200]);
    });

    it('prefers an Authorization header to the signature', async () => {
      const table = await withTable();

      const answer = await client.get(`/${table}?sv=2019-02-02&tn=${table}&sig=AAAA`);

      expect(answer.status).toBe(200);
    });

    it.each([
      ['api-version, then the header', '2019-02-02', '&api-version=2020-12-06', '2021-08-06', '2020-12-06'],
      ['the header', '2019-02-02', '', '2021-08-06', '2021-08-06'],
      ['sv, without another version', '2019-02-02', '', undefined, '2019-02-02'],
      ['sv, for the oldest versions', '2013-08-15', '', '2021-08-06', '2013-08-15'],
    ])('is served as %s', async (_rule, sv, added, named, served) => {
      const table = await withTable();
      const path = `${withAccess(`/${table}`, tableAccess(table, { sv }))}${added}`;

      const answer = await client.get(path, { ...bySignature, headers: { 'x-ms-version': named } });

      expect(answer.status, answer.body).toBe(200);
      expect(answer.headers['x-ms-version']).toBe(served);
    });

    it.each([
      ['another table', 'other', 'r'],
      ['another operation', 'own', 'a'],
    ])('answers 404 for %s with versions before 2015-04-05', async (_what, which, sp) => {
      const [table, other] = [await withTable(), await withTable()];
      const path = withAccess(`/${which === 'own' ? table : other}`, tableAccess(table, { sv: '2015-02-21', sp }));

      const answer = await client.get(path, bySignature);

      expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
    });
  },
  { accounts: [account] },
);
