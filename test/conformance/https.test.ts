import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeHttpsService } from '../support/servers/https-service.js';
import { accountAccess, tableAccess, withAccess } from '../support/signatures/sign-access.js';

describeHttpsService('HTTPS', ({ client, service }) => {
  it('writes its own scheme into every address of an answer', async () => {
    const created = await client.send('POST', '/Tables', { body: { TableName: 'Secure' } });
    const inserted = await client.send('POST', '/Secure', { body: { PartitionKey: 'p', RowKey: 'r' } });

    expect(service().base).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
    expect(created.headers['location']).toBe(`${service().base}/Tables('Secure')`);
    expect(inserted.headers['location']).toBe(`${service().base}/Secure(PartitionKey='p',RowKey='r')`);
    expect(inserted.json['odata.metadata']).toBe(`${service().base}/$metadata#Secure/@Element`);
  });

  it.each([
    ['path style', 'localhost', '/devstoreaccount1'],
    ['host style', 'devstoreaccount1.table.localhost', ''],
    ['host style, secondary', 'devstoreaccount1-secondary.table.localhost', ''],
    ['a container', 'host.docker.internal', '/devstoreaccount1'],
  ])('has a certificate that is valid for %s: %s', async (_style, host, prefix) => {
    const answer = await client.send('GET', '/Tables', { host, prefix });

    expect(answer.status, answer.body).toBe(200);
    expect(answer.json['odata.metadata']).toBe(
      `https://${host}:${new URL(service().url).port}${prefix}/$metadata#Tables`,
    );
  });

  it('A24 accepts signatures for HTTPS only', async () => {
    const byAccount = withAccess('/Tables', accountAccess({ spr: 'https' }));
    await client.send('POST', '/Tables', { body: { TableName: 'Only' } });
    const byTable = withAccess('/Only', tableAccess('Only', { spr: 'https' }));

    const answers = [
      await client.send('GET', byAccount, { auth: 'none' }),
      await client.send('GET', byTable, { auth: 'none' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('A24 accepts signatures for both protocols', async () => {
    const path = withAccess('/Tables', accountAccess({ spr: 'https,http' }));

    expect(await client.send('GET', path, { auth: 'none' })).toMatchObject({ status: 200 });
  });

  it('rejects the same requests as over HTTP', async () => {
    const answer = await client.send('GET', "/Tables('missing')");

    expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
  });
});
