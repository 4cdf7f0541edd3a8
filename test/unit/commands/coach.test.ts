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
      'warn R5 The RowKey is given without the PartitionKey (People): 1 call',
      '  people where RowKey eq ?',
      "  as in: RowKey eq 'r'",
      '  Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions. Table design guide: Inter-partition secondary index pattern.',
      `  node dist/main.js requests --text ${headers['x-ms-request-id']} --url ${service.url}`,
      `  curl --request GET '${service.base}/People?$filter=RowKey%20eq%20'\\''r'\\'''"&$SAS" --header 'x-ms-version: 2019-02-02' --header 'Accept: application/json;odata=minimalmetadata'`,
    ]);
    const [line = ''] = await linesOf({ json: true });
    expect(JSON.parse(line)).toMatchObject({ rule: 'R5', calls: 1 });
  });

  it('prints what is suppressed with its reason, and suppressions that match nothing', async () => {
    const file = join(await makeFolder(), 'suppressions.json');
    const ignore = [
      { rule: 'R5', why: 'three rows' },
      { rule: 'R3', table: 'Old', why: 'is gone' },
    ];
    await writeFile(file, JSON.stringify({ ignore }));
    expect(await linesOf({ suppressions: file })).toEqual([
      'suppressed R5 people where RowKey eq ?: three rows',
      'The suppression of R3 in Old (is gone) matches no finding.',
    ]);
    const [line = ''] = await linesOf({ suppressions: file, json: true });
    expect(JSON.parse(line)).toMatchObject({ rule: 'R5', suppressed: 'three rows' });
  });

  it('writes reports, in the format of each file', async () => {
    const folder = await makeFolder();
    const report = ['md', 'json', 'sarif', 'html'].map((ending) => join(folder, `coach.${ending}`));
    await linesOf({ report });
    const [md = '', json = '', sarif = '', html = ''] = await Promise.all(report.map((file) => readFile(file, 'utf8')));
    expect(md).toContain('**warn R5** The RowKey is given without the PartitionKey');
    expect(JSON.parse(json)).toMatchObject({ isBroken: false, findings: [{ rule: 'R5', curl: expect.any(String) }] });
    expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0' });
    expect(html).toContain('<h3>warn R5');
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
        rules.push(JSON.parse(line).rule);
        told();
      },
    );
    await printed(1);
    await asker.get("/People?$filter=PartitionKey%20ne%20'p'");
    await printed(2);
    asker.close();
    await other.close();
    await watching;
    expect(rules).toEqual(['R5', 'R4']);
  });

  it('does not watch where no server is', async () => {
    const config = configOf(['--tablePort', String(await freePort())]);
    await expect(printFindings(config, { watch: true }, () => {})).rejects.toThrow('No server answers');
  });
});
