import { expect, it } from 'vitest';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

/** The control characters that the web server in front of the service rejects in a path. Source: operations 4.4. */
const rejected = [...Array.from({ length: 0x20 }, (_, code) => code), ...[0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d]].map(
  (code) => encodeURIComponent(String.fromCharCode(code)),
);

/** Verbs with the headers that each needs. */
const verbs = ['GET', 'PUT', 'PATCH', 'MERGE', 'DELETE', 'POST'];

describeService('The web server in front of the service', ({ client, withTable, service }) => {
  it.each(rejected)('rejects %s in a key before the service sees it', async (sign) => {
    for (const verb of verbs) {
      const answer = await client.send(verb, `/Table(PartitionKey='a${sign}b',RowKey='r')`, { body: {} });
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('<h2>Bad Request - Invalid URL</h2>');
      const { date: _, connection, 'keep-alive': __, ...headers } = answer.headers;
      expect(headers).toEqual({
        'content-type': 'text/html; charset=us-ascii',
        server: 'Microsoft-HTTPAPI/2.0',
        'content-length': sign === '%00' ? '324' : '312',
      });
      if (sign === '%00') expect(connection).toBe('close');
    }
  });

  it.each(['%80', '%C2%80', '%C2%85', '%C2%9F', '%20', '%23'])('lets %s through', async (sign) => {
    const table = await withTable();
    const answer = await client.get(`/${table}(PartitionKey='a${sign}b',RowKey='r')`);
    expect(answer.headers['x-ms-request-id']).toBeDefined();
  });

  it('lets control characters of a query through', async () => {
    const table = await withTable();
    expect((await client.get(`/${table}?$filter=A%20eq%20'%01'`)).status).toBe(200);
  });

  it('rejects a longer target than the service takes with an error of the service, and serves the next request', async () => {
    const connection = await RawConnection.open(service());
    await connection.write(signedHead(service(), 'GET', `/Tables?$filter=${'x'.repeat(70 * 1024)}`));
    expect(await connection.answer()).toMatchObject({
      status: 414,
      headers: { 'x-ms-request-id': expect.any(String), 'x-ms-error-code': 'InvalidUri' },
    });
    await connection.write(signedHead(service(), 'GET', '/Tables'));
    expect((await connection.answer())?.status).toBe(200);
    connection.destroy();
  });
});
