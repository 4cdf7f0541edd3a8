import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printFindings } from '../../../src/commands/coach.js';
import { freePort } from '../../support/free-port.mjs';
import { makeFolder } from '../../support/make-folder.js';
import { configOf } from '../../support/parse-command.js';
import { ServiceClient } from '../../support/service-client.js';
import { type RunningService, startService } from '../../support/start-service.js';

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

  const linesOf = async (options: Parameters<typeof printFindings>[1] = {}) => {
    const lines: string[] = [];
    await printFindings(configOf(['--tablePort', new URL(service.url).port]), options, (line) => lines.push(line));
    return lines;
  };

  it('prints each finding with the query, what helps, and where to look', async () => {
    expect(await linesOf()).toEqual(['Nothing was found in the requests so far.']);
    const { headers } = await client.get("/People?$filter=RowKey%20eq%20'r'");

    expect(await linesOf()).toEqual([
      'warn table-scan/rowkey-only in devstoreaccount1/People, 1 call: The RowKey is given without the PartitionKey, so the whole table is read.',
      '  query: people where RowKey eq ?',
      "  as in: RowKey eq 'r'",
      '  in the cloud: Every entity of the table is read.',
      '  Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions. Table design guide: Inter-partition secondary index pattern.',
      `  node dist/main.js requests --text ${headers['x-ms-request-id']} --url ${service.url}`,
      `  curl --request GET '${service.base}/People?$filter=RowKey%20eq%20'\\''r'\\'''"&$SAS" --header 'x-ms-version: 2019-02-02' --header 'Accept: application/json;odata=minimalmetadata'`,
    ]);
    const [line = ''] = await linesOf({ json: true });
    expect(JSON.parse(line)).toMatchObject({ rule: 'table-scan', cause: 'rowkey-only', calls: 1 });
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
    expect(await linesOf({ accept: file })).toEqual([
      'accepted table-scan/rowkey-only people where RowKey eq ?: three rows',
      'accepted table-scan/unfiltered people: three rows',
      'The accepted partition-scan/or-keys in Old (is gone) was not found. Remove the entry.',
    ]);
    const [line = ''] = await linesOf({ accept: file, json: true });
    expect(JSON.parse(line)).toMatchObject({ rule: 'table-scan', accepted: 'three rows' });
  });

  it('writes reports, in the format of each file', async () => {
    const folder = await makeFolder();
    const report = ['md', 'json', 'sarif', 'html'].map((ending) => join(folder, `coach.${ending}`));
    await linesOf({ report });
    const [md = '', json = '', sarif = '', html = ''] = await Promise.all(report.map((file) => readFile(file, 'utf8')));
    expect(md).toContain('**warn** table-scan/rowkey-only in devstoreaccount1/People');
    expect(JSON.parse(json)).toMatchObject({
      isBroken: false,
      findings: [{ rule: 'table-scan', curl: expect.any(String) }, {}],
    });
    expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0' });
    expect(html).toContain('<h3>warn table-scan/rowkey-only');
    await expect(linesOf({ report: ['coach.txt'] })).rejects.toThrow("the format of 'coach.txt' is not known");
  });

  it('forgets what it found', async () => {
    expect(await linesOf({ clear: true })).toEqual([]);
    expect(await linesOf()).toEqual(['Nothing was found in the requests so far.']);
  });

  it('prints each finding once as it comes, until the server stops', async () => {
    const other = await startService();
    const asker = new ServiceClient(() => other);
    await asker.post('/Tables', { TableName: 'People' });
    await asker.get("/People?$filter=RowKey%20eq%20'r'");
    const rules: string[] = [];
    let told = () => {};
    const printed = (count: number) =>
      new Promise<void>((resolve) => {
        told = () => rules.length >= count && resolve();
        told();
      });
    const watching = printFindings(
      configOf(['--tablePort', new URL(other.url).port]),
      { watch: true, json: true },
      (line) => {
        rules.push(JSON.parse(line).cause);
        told();
      },
    );
    await printed(1);
    await asker.get("/People?$filter=PartitionKey%20ne%20'p'");
    await printed(2);
    asker.close();
    await other.close();
    await watching;
    expect(rules).toEqual(['rowkey-only', 'unequal-key']);
  });

  it('does not watch where no server is', async () => {
    const config = configOf(['--tablePort', String(await freePort())]);
    await expect(printFindings(config, { watch: true }, () => {})).rejects.toThrow('No server answers');
  });
});
