import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchBoundary, insert, writeChangeSet } from '../../support/batch-tools.js';
import { runLine } from '../../support/run-line.js';
import { ServiceClient } from '../../support/service-client.js';
import { type RunningService, startService } from '../../support/start-service.js';

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
      'The signed path has the account once, but the account is also in the path of the URL.',
    ]);
    expect(advice).toMatch(/^Sign a slash, the account/);
    expect(compared[0]).toMatch(/^ {4}text to sign: "GET\\n\\n\\n.*\\n\/devstoreaccount1\/devstoreaccount1\/Tables"$/);
    expect(compared[1]).toMatch(/^ {2}✗ text that was signed: "GET\\n\\n\\n.*\\n\/devstoreaccount1\/Tables"$/);
  });

  it('has the error of the operation in its first line for a transaction, whose own status is 202', async () => {
    const parts = ['1', '1'].map((RowKey) => insert('None', { PartitionKey: 'p', RowKey }));
    const type = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    const { headers } = await client.post('/$batch', writeChangeSet(parts), { headers: type });
    const [first] = await linesOf(headers['x-ms-request-id'] ?? '');
    expect(first).toBe('TableNotFound in a transaction, which was answered with 202');
  });

  it('says that a request was not rejected, or is not known', async () => {
    const { headers } = await client.get('/Tables');
    expect((await linesOf(headers['x-ms-request-id'] ?? '')).join()).toMatch(/was not refused: its status is 200/);
    expect((await linesOf('none')).join()).toMatch(/The journal has no request none/);
  });

  it('without an ID is about the last request that was refused', async () => {
    await client.get('/Missing');
    await client.get('/Tables');
    expect((await linesOf())[0]).toBe('404 TableNotFound');
  });
});
