import { expect, it } from 'vitest';
import { type CosmosFailure, expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { describeService } from '../../support/servers/describe-service.js';
import { accountAccess, hoursFromNow, tableAccess, withAccess } from '../../support/signatures/sign-access.js';

const unauthorized: CosmosFailure = {
  ...{ status: 401, code: 'Unauthorized', form: 'long', level: 'minimalmetadata' },
  message: "Authorization header doesn't confirm to the required format. Please verify and try again.",
};
const forbidden = { status: 403, code: 'Forbidden', form: 'long', level: 'minimalmetadata' } as const;
const wrongKey = { key: 'bm90IHRoZSBrZXk=' };

// Source: cosmos 15.9; cosmos 15.17.
describeService(
  'Cosmos DB, credentials',
  ({ client, withEntity, service }) => {
    const signed = (path: string, fields: object) => withAccess(path, fields, service().account);
    const bySignature = (path: string, fields: object) => client.get(signed(path, fields), { auth: 'none' });

    it('shows the text that it would sign to a request with another signature', async () => {
      const date = new Date().toUTCString();
      const headers = { 'x-ms-date': date };

      const read = await client.get('/Tables', { ...wrongKey, headers });
      const written = await client.post('/Tables', { TableName: 'a' }, { ...wrongKey, headers });
      const lite = await client.get('/Tables', { ...wrongKey, headers, auth: 'SharedKeyLite' });

      const { name } = service().account;
      const message = (text: string) =>
        "The input authorization token can't serve the request. Please check that the expected payload is built as per the protocol, " +
        `and check the key being used. Server used the following payload to sign: '${text}/${name}/Tables'`;
      expectCosmosError(read, { ...forbidden, message: message(`GET\n\n\n${date}\n`) });
      expectCosmosError(written, { ...forbidden, message: message(`POST\n\napplication/json\n${date}\n`) });
      expectCosmosError(lite, { ...forbidden, message: message(`${date}\n`) });
    });

    it('is forbidden to a signature without the permission', async () => {
      const { table, path } = await withEntity();

      const answers = [
        await bySignature(path, tableAccess(table, { sp: 'a' })),
        await bySignature(`/${table}()`, tableAccess(table, { sp: 'a' })),
        await bySignature(path, accountAccess({ sp: 'a' })),
      ];

      for (const answer of answers) {
        expectCosmosError(answer, {
          ...forbidden,
          message: 'This request is not authorized to perform this operation using this permission.',
        });
      }
    });

    it.each([
      ['has ended', tableAccess('other', { se: hoursFromNow(-1) })],
      ['is for another table', tableAccess('other')],
      ['is for another kind of resource', accountAccess({ srt: 's' })],
    ])('is forbidden to a signature that %s', async (_, fields) => {
      const { path } = await withEntity();

      const answer = await bySignature(path, fields);

      expect([answer.status, answer.body.includes('"code":"Forbidden"')]).toEqual([403, true]);
    });

    it.each(['Bearer a.b.c', 'Bearer ', 'SharedKey', 'SharedKey localhost', 'Basic dTpw'])(
      'does not accept Authorization: %s, without a challenge',
      async (authorization) => {
        const answer = await client.get('/Tables', { auth: 'none', headers: { Authorization: authorization } });

        expectCosmosError(answer, unauthorized);
      },
    );

    it('needs credentials', async () => {
      const answer = await client.get('/Tables', { auth: 'none' });

      expect([answer.status, answer.body.includes('"code":"Unauthorized"')]).toEqual([401, true]);
    });
  },
  { cosmos: true },
);
