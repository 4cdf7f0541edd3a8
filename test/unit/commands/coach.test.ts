import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServiceClient } from '../../support/clients/service-client.js';
import { freePort } from '../../support/programs/free-port.mjs';
import { makeFolder } from '../../support/programs/make-folder.js';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

describe('tabularium coach', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
    await client.post('/Tables', { TableName: 'People' });
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  const run = (...words: readonly string[]) => runLine(['coach', ...words], { TABULARIUM_URL: service.url });
  const linesOf = async (...words: readonly string[]) => (await run(...words)).out.trimEnd().split('\n');

  it('prints each finding with the query, what helps, and where to look', async () => {
    expect(await linesOf()).toEqual(['Nothing was found in the requests so far.']);
    const { headers } = await client.get("/People?$filter=RowKey%20eq%20'r'");

    expect(await linesOf()).toEqual([
      'warn table-scan/rowkey-only in devstoreaccount1/People, 1 call: The RowKey is given without the PartitionKey, so the whole table is read.',
      '  query: people where RowKey eq ?',
      "  as in: RowKey eq 'r'",
      '  in the cloud: Every entity of the table is read.',
      '  Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions. Table design guide: Inter-partition secondary index pattern.',
      `  node dist/main.js request show ${headers['x-ms-request-id']} --url ${service.url}`,
    ]);
    const { out } = await run('--json');
    expect(JSON.parse(out)).toMatchObject({
      usage: { requests: 2 },
      findings: [{ rule: 'table-scan', cause: 'rowkey-only', calls: 1 }],
      queries: [{ table: 'People', calls: 1 }],
    });
  });

  it('prints a hint as one line', async () => {
    await client.get('/People');
    expect((await linesOf()).at(-1)).toBe(
      'info table-scan/unfiltered in devstoreaccount1/People, 1 call: The whole table is read, without a filter. people',
    );
  });

  it('prints what is accepted with its reason, and entries that match nothing', async () => {
    const file = join(await makeFolder(), 'accepted.json');
    const accept = [
      { rule: 'table-scan', why: 'three rows' },
      { rule: 'partition-scan/or-keys', table: 'Old', why: 'is gone' },
    ];
    await writeFile(file, JSON.stringify({ accept }));
    expect(await linesOf('--accept', file)).toEqual([
      'accepted table-scan/rowkey-only people where RowKey eq ?: three rows',
      'accepted table-scan/unfiltered people: three rows',
      'The accepted partition-scan/or-keys in Old (is gone) was not found. Remove the entry.',
    ]);
    const { out } = await run('--accept', file, '--json');
    expect(JSON.parse(out)).toMatchObject({ findings: [], accepted: [{ rule: 'table-scan', why: 'three rows' }, {}] });
  });

  it('writes reports, in the format of each file', async () => {
    const folder = await makeFolder();
    const report = ['md', 'json'].map((ending) => join(folder, `coach.${ending}`));
    await run(...report.flatMap((file) => ['--report', file]));
    const [md = '', json = ''] = await Promise.all(report.map((file) => readFile(file, 'utf8')));
    expect(md).toContain('**warn** table-scan/rowkey-only in devstoreaccount1/People');
    expect(JSON.parse(json)).toMatchObject({
      isBroken: false,
      findings: [{ rule: 'table-scan' }, {}],
    });
    expect((await run('--report', 'coach.txt')).errors).toContain("the format of 'coach.txt' is not known");
  });

  it('forgets what it found', async () => {
    expect(await linesOf('clear')).toEqual(['cleared']);
    expect(await linesOf()).toEqual(['Nothing was found in the requests so far.']);
  });

  it('prints each finding once as it comes, until the server stops', async () => {
    const other = await startService();
    const asker = new ServiceClient(() => other);
    await asker.post('/Tables', { TableName: 'People' });
    await asker.get("/People?$filter=RowKey%20eq%20'r'");
    const following = runLine(['coach', '--follow', '--json', '--url', other.url]);
    const lines = () => vi.mocked(process.stdout.write).mock.calls.length;
    await expect.poll(lines, { timeout: 10_000 }).toBe(1);
    await asker.get("/People?$filter=PartitionKey%20ne%20'p'");
    await expect.poll(lines, { timeout: 10_000 }).toBe(2);
    asker.close();
    await other.close();
    const { out } = await following;
    const causes = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).cause);
    expect(causes).toEqual(['rowkey-only', 'unequal-key']);
  });

  it('does not follow where no server is', async () => {
    const { code, errors } = await runLine(['coach', '--follow', '--url', String(await freePort())]);
    expect([code, errors]).toEqual([2, expect.stringContaining('No server answers')]);
  });
});
