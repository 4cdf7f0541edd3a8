import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const firstKey = developmentAccount.keys[0] ?? '';
const secondKey = Buffer.from('the second key of the account').toString('base64');
const wrongKey = Buffer.from('no key of the account').toString('base64');

const failed =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly ' +
  'including the signature.';

/** Returns a date in the format of RFC 850, which HTTP still allows. */
const inOldForm = (date: Date) => {
  const [, day, month, year = '', time] = date.toUTCString().split(' ');
  const weekday = date.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
};
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toUTCString();

describeService(
  'Shared Key',
  ({ client, withTable, withEntity }) => {
    it('A1 rejects a wrong key in bare JSON if Accept contains JSON', async () => {
      const answer = await client.get('/Tables', { key: wrongKey });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json', message: failed });
    });

    it.each([false, '*/*', 'application/xml'] as const)(
      'A2 rejects a wrong key in XML for Accept: %s',
      async (accept) => {
        const answer = await client.get('/Tables', { key: wrongKey, accept });

        expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/xml', message: failed });
      },
    );

    it.each([
      ['POST', '/Tables'],
      ['DELETE', "/Tables('MyTable')"],
      ['GET', '/no(such=syntax'],
    ])('A3 challenges %s %s without credentials, before any other check', async (method, path) => {
      const answer = await client.send(method, path, { auth: 'none', version: '2020-12-06' });

      expectTableError(answer, 401, 'NoAuthenticationInformation', {
        set: 'A2',
        message:
          'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
      });
    });

    it('A4 rejects a request without credentials under an older version', async () => {
      const answer = await client.get('/Tables', { auth: 'none', version: '2019-02-02' });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', message: failed });
    });

    it.each(['Basic x', 'SharedKey abc', 'SharedKey', 'SharedKey devstoreaccount1:', 'nonsense'])(
      'A5 cannot read Authorization: %s',
      async (authorization) => {
        const answer = await client.get('/Tables', { headers: { Authorization: authorization } });

        expectTableError(answer, 400, 'InvalidAuthenticationInfo', { set: 'A1' });
      },
    );

    // Each date is made when it is sent: a minute later it may be right, or no longer be.
    it.each<[kind: string, dateNow: () => string | undefined]>([
      ['16 minutes old', () => minutesAgo(16)],
      ['16 minutes ahead', () => minutesAgo(-16)],
      ['missing', () => undefined],
      ['garbage', () => 'yesterday'],
      ['in the form of ISO 8601', () => new Date().toISOString()],
      ['in the form of ISO 8601, whole seconds', () => new Date().toISOString().replace(/\.\d+Z/, 'Z')],
      ['without a zone', () => new Date().toUTCString().replace(' GMT', '')],
      ['in another zone', () => new Date().toUTCString().replace('GMT', '+0000')],
      ['without a day of the week', () => new Date().toUTCString().slice(5)],
      ['a number of milliseconds', () => String(Date.now())],
    ])('A6 rejects a date that is %s', async (_kind, dateNow) => {
      const answer = await client.get('/Tables', { headers: { 'x-ms-date': dateNow() } });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
    });

    it.each<[kind: string, dateNow: () => string]>([
      ['14 minutes old', () => minutesAgo(14)],
      ['14 minutes ahead', () => minutesAgo(-14)],
      ['in the format of RFC 850', () => inOldForm(new Date())],
    ])('A6 accepts a date that is %s', async (_kind, dateNow) => {
      const answer = await client.get('/Tables', { headers: { 'x-ms-date': dateNow() } });

      expect(answer.status).toBe(200);
    });

    it.each(
      (['SharedKey', 'SharedKeyLite'] as const).flatMap((auth) => [
        [auth, 'first', firstKey] as const,
        [auth, 'second', secondKey] as const,
      ]),
    )('A7 takes %s with the %s key', async (auth, which, key) => {
      const read = await client.get('/Tables?$top=1', { auth, key });
      const written = await client.post('/Tables', { TableName: `A7${auth}${which}` }, { auth, key });

      expect([read.status, written.status]).toEqual([200, 201]);
    });

    it('A7 uses Date if there is no x-ms-date', async () => {
      const answer = await client.get('/Tables', {
        headers: { 'x-ms-date': undefined, Date: new Date().toUTCString() },
      });

      expect(answer.status).toBe(200);
    });

    it('A7 prefers x-ms-date to Date', async () => {
      const answer = await client.get('/Tables', {
        headers: { 'x-ms-date': new Date().toUTCString(), Date: minutesAgo(60) },
      });

      expect(answer.status).toBe(200);
    });

    it.each(['PATCH', 'MERGE'])('A7 accepts a signed %s', async (method) => {
      const { path } = await withEntity();

      const answer = await client.send(method, path, { body: {}, ifMatch: '*' });

      expect(answer.status).toBe(204);
    });

    it('A7 signs the type of the body, and its MD5', async () => {
      const table = await withTable();

      const answer = await client.post(
        `/${table}`,
        { PartitionKey: 'p', RowKey: 'r' },
        { headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-MD5': 'AQIDBA==' } },
      );

      expect(answer.status).toBe(201);
    });

    it('A7 rejects the signature of another account', async () => {
      const answer = await client.get('/Tables', { headers: { Authorization: `SharedKey other:${wrongKey}` } });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
    });

    it('A8 rejects a signature without comp', async () => {
      const table = await withTable();

      const answer = await client.get(`/${table}?comp=acl`, { signedTarget: `/devstoreaccount1/${table}` });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
    });

    it('A9 accepts the signature of a path as it was sent', async () => {
      const table = await withTable();
      await client.post(`/${table}`, { PartitionKey: 'a b', RowKey: '1' });

      const answer = await client.get(`/${table}(PartitionKey='a%20b',RowKey='1')`);

      expect(answer.status).toBe(200);
    });

    it('A9 rejects the signature of the decoded path', async () => {
      const table = await withTable();

      const answer = await client.get(`/${table}(PartitionKey='a%20b',RowKey='1')`, {
        signedTarget: `/devstoreaccount1/${table}(PartitionKey='a b',RowKey='1')`,
      });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
    });
  },
  { accounts: [{ name: 'devstoreaccount1', keys: [firstKey, secondKey] }] },
);
