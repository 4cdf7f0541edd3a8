import { expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const path = '/?restype=service&comp=stats';
const secondary = { prefix: '/devstoreaccount1-secondary' } as const;

describeService('Service stats and the secondary endpoint', ({ client, service, withTable, withEntity }) => {
  it('P19 answers on the secondary that replication is live, with the time of the last sync', async () => {
    const answer = await client.get(path, { ...secondary, accept: 'application/xml' });

    expect(answer.status).toBe(200);
    expectHeaders(answer, {
      ...commonHeadersOf(answer),
      'Content-Type': 'application/xml',
      'Transfer-Encoding': 'chunked',
    });
    const [, synced] =
      /^\ufeff<\?xml version="1\.0" encoding="utf-8"\?><StorageServiceStats><GeoReplication><Status>live<\/Status><LastSyncTime>([^<]+)<\/LastSyncTime><\/GeoReplication><\/StorageServiceStats>$/.exec(
        answer.body,
      ) ?? [];
    expect(synced).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
  });

  it('P19 also accepts a signature over the path without the suffix', async () => {
    const answer = await client.get(path, {
      ...secondary,
      accept: false,
      signedTarget: '/devstoreaccount1/?restype=service&comp=stats',
    });

    expect(answer.status).toBe(200);
  });

  it('P20 is rejected on the primary', async () => {
    const answer = await client.get(path, { accept: 'application/xml' });

    expectTableError(answer, 400, 'InvalidQueryParameterValue', { set: 'A3' });
  });

  it('P21 accepts comp before restype', async () => {
    const answer = await client.get('/?comp=stats&restype=service', { ...secondary, accept: false });

    expect(answer.status).toBe(200);
  });

  it('reads tables and entities on the secondary, with the address of the secondary in the answers', async () => {
    const { table, path: entity } = await withEntity();

    const answers = [
      await client.get(`/Tables('${table}')`, secondary),
      await client.get(`/${table}`, secondary),
      await client.get(entity, secondary),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const answer of answers) {
      expect(answer.json['odata.metadata']).toMatch(`${service().url}/devstoreaccount1-secondary/$metadata#`);
    }
  });

  it.each([
    ['POST', '/Tables', { TableName: 'Written' }],
    ['DELETE', "/Tables('TABLE')", undefined],
    ['POST', '/TABLE', { PartitionKey: 'p', RowKey: 'new' }],
    ['PUT', "/TABLE(PartitionKey='p',RowKey='r')", {}],
    ['MERGE', "/TABLE(PartitionKey='p',RowKey='r')", {}],
    ['PATCH', "/TABLE(PartitionKey='p',RowKey='r')", {}],
    ['DELETE', "/TABLE(PartitionKey='p',RowKey='r')", undefined],
  ] as const)('P22 rejects writes on the secondary: %s %s', async (method, target, body) => {
    const { table, path: entity, etag } = await withEntity();

    const answer = await client.send(method, target.replace('TABLE', table), { ...secondary, body, ifMatch: '*' });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'B2' });
    expect((await client.get(entity)).headers['etag']).toBe(etag);
  });

  it.each([
    ['in XML to a client of Atom', { accept: false }],
    ['at the level that was asked for', { accept: 'application/json;odata=nometadata' }],
    ['with Preference-Applied', { prefer: 'return-no-content' }],
  ] as const)('P22 rejects writes on the secondary %s', async (_form, options) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { ...secondary, ...options });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'B2' });
  });

  it('P22 rejects policies on the secondary as ?comp= operations are rejected', async () => {
    const answer = await client.put(`/${await withTable()}?comp=acl`, '', { ...secondary, accept: 'application/xml' });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'A3' });
  });

  it('P22 rejects a batch of writes on the secondary', async () => {
    const table = await withTable();
    const part = insert(table, { PartitionKey: 'p', RowKey: 'r' });

    const answer = await client.post('/$batch', writeChangeSet([{ ...part, url: `${service().base}/${table}` }]), {
      ...secondary,
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
    });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'B2' });
  });

  it('P22 authenticates before it rejects', async () => {
    const answer = await client.post('/Tables', { TableName: 'Written' }, { ...secondary, key: 'bm8ga2V5' });

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
  });
});
