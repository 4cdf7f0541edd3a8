import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchBoundary, insert, writeChangeSet } from '../../support/bodies/batch-tools.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

describe('tabularium why', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  const linesOf = async (...ids: readonly string[]) => {
    const { code, out, errors } = await runLine(['why', ...ids], { TABULARIUM_URL: service.url });
    expect(code).toBe(errors === '' ? 0 : 2);
    return `${out}${errors}`.split('\n').slice(0, -1);
  };

  it('prints status, cause, advice and what was compared', async () => {
    const { headers } = await client.get('/Tables', { signedTarget: '/Tables' });

    const [status, text, advice, ...compared] = await linesOf(headers['x-ms-request-id'] ?? '');
    expect([status, text]).toEqual([
      '403 AuthenticationFailed',
      'The signed path contains the account once, but the account is also in the URL path.',
    ]);
    expect(advice).toMatch(/^Sign a slash, the account/);
    expect(compared[0]).toMatch(
      /^ {4}string to sign: "GET\\n\\n\\n.*\\n\/devstoreaccount1\/devstoreaccount1\/Tables"$/,
    );
    expect(compared[1]).toMatch(/^ {2}✗ string that was signed: "GET\\n\\n\\n.*\\n\/devstoreaccount1\/Tables"$/);
  });

  it('has the error of the operation in its first line for a transaction, whose own status is 202', async () => {
    const parts = ['1', '1'].map((RowKey) => insert('None', { PartitionKey: 'p', RowKey }));
    const type = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    const { headers } = await client.post('/$batch', writeChangeSet(parts), { headers: type });
    const [first] = await linesOf(headers['x-ms-request-id'] ?? '');
    expect(first).toBe('TableNotFound in a transaction, which was answered with 202');
  });

  it('of a request that succeeded prints its cost and the finding that it is part of, with what to write instead', async () => {
    await client.post('/Tables', { TableName: 'People' });
    const query = `/People?$filter=${encodeURIComponent("PartitionKey ne 'p' and Age gt 3")}`;
    await client.get(query);
    const { headers } = await client.get(query);

    expect(await linesOf(headers['x-ms-request-id'] ?? '')).toEqual([
      '200',
      'The request succeeded. In the cloud: Every entity of the table is read. Here 0 entities were read and 0 returned.',
      "warn table-scan/unequal-key in devstoreaccount1/People, 2 calls: A key is excluded by 'ne' or 'not', so the whole table is read.",
      '  query: people where PartitionKey ne ? and Age gt ?Int32',
      "  as in: PartitionKey ne 'p' and Age gt 3",
      '  in the cloud: Every entity of the table is read.',
      "  instead: PartitionKey lt 'p' and Age gt 3",
      "  and: PartitionKey gt 'p' and Age gt 3",
      '  Send two queries: one below the key, one above it. Table design guide: How your choice of PartitionKey and RowKey affects query performance.',
    ]);
  });

  it('of a query that the coach has forgotten prints the advice about its form', async () => {
    const { headers } = await client.get('/People?$filter=Age%20gt%203');
    await runLine(['coach', 'clear'], { TABULARIUM_URL: service.url });
    expect((await linesOf(headers['x-ms-request-id'] ?? ''))[2]).toMatch(
      /^The query compares properties, so the whole/,
    );
  });

  it('prints all requests of a client that retried', async () => {
    const retry = { headers: { 'x-ms-client-request-id': 'retried' } };
    await client.get('/Missing', retry);
    await client.get('/Tables', retry);
    expect((await linesOf('retried')).map((line) => line.replace(/[0-9a-f-]{36}/, 'ID'))).toEqual([
      '404 TableNotFound',
      'The table does not exist in this account.',
      'Create the table first, or fix the name.',
      '2 requests have this x-ms-client-request-id:',
      '  404 TableNotFound: ID',
      '  200: ID',
    ]);
  });

  it('says that a request is not known', async () => {
    expect((await linesOf('none')).join()).toMatch(/The journal has no request none/);
  });

  it('without an ID is about the last request that was rejected', async () => {
    await client.get('/Missing');
    await client.get('/Tables');
    expect((await linesOf())[0]).toBe('404 TableNotFound');
  });
});
