import { describe, expect, it } from 'vitest';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

/** Requests whose answers have no body, a body, many parts or an error. */
const requests: readonly (readonly [
  kind: string,
  verb: string,
  path: string,
  headers: Record<string, string>,
  body: string,
  status: number,
])[] = [
  ['a list', 'GET', '/Tables', {}, '', 200],
  [
    'a creation without content',
    'POST',
    '/Tables',
    { 'Content-Type': 'application/json', Prefer: 'return-no-content' },
    '{"TableName":"Closing"}',
    204,
  ],
  ['an error', 'GET', '/Missing', {}, '', 404],
  ['an error of the front end', 'GET', '//Tables', {}, '', 400],
  ['a preflight', 'OPTIONS', '/Tables', { Origin: 'http://a' }, '', 400],
  [
    'a batch',
    'POST',
    '/$batch',
    { 'Content-Type': 'multipart/mixed; boundary=b' },
    '--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n--b--\r\n',
    202,
  ],
];

describeService('Connection', ({ service }) => {
  describe.each(requests)('of the answer to %s', (_, verb, path, headers, body, status) => {
    const head = (own: Record<string, string>) =>
      signedHead(service(), verb, path, {
        ...headers,
        ...own,
        ...(body && { 'Content-Length': String(body.length) }),
      }) + body;

    it('says close if the request does, and the connection ends', async () => {
      const connection = await RawConnection.open(service());
      await connection.write(head({ Connection: 'close' }));
      const answer = await connection.answer();
      expect(answer).toMatchObject({ headers: { connection: 'close' } });
      await connection.closed();
    });

    it('is absent otherwise', async () => {
      const connection = await RawConnection.open(service());
      await connection.write(head({}));
      const answer = await connection.answer();
      expect([status, 409]).toContain(answer?.status);
      expect(answer?.headers['connection']).toBeUndefined();
      connection.destroy();
    });

    it('is kept alive for a client of HTTP/1.0 that asks for it', async () => {
      const connection = await RawConnection.open(service());
      await connection.write(head({ Connection: 'keep-alive' }).replace(' HTTP/1.1', ' HTTP/1.0'));
      expect((await connection.answer())?.headers['connection']).toBe('keep-alive');
      connection.destroy();
    });
  });
});
