import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printWhy } from '../../../src/commands/why.js';
import { batchBoundary, insert, writeChangeSet } from '../../support/batch-tools.js';
import { configOf } from '../../support/parse-command.js';
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

  const linesOf = async (id: string) => {
    const lines: string[] = [];
    await printWhy(configOf(['--tablePort', new URL(service.url).port]), id, (line) => lines.push(line));
    return lines;
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

  it('says that a request was not refused, or is not known', async () => {
    const { headers } = await client.get('/Tables');
    await expect(linesOf(headers['x-ms-request-id'] ?? '')).rejects.toThrow(/was not refused: its status is 200/);
    await expect(linesOf('none')).rejects.toThrow(/The journal has no request none/);
  });
});
