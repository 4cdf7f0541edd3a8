import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { judgeRun } from '../../src/commands/coach/judge-run.js';
import { readRunPlan, reportFormats } from '../../src/commands/coach/run-plan.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../src/server.js';
import { defaultConfig } from '../../src/settings/config.js';
import { ServiceClient } from '../support/clients/service-client.js';
import { makeFolder } from '../support/programs/make-folder.js';
import { runLine } from '../support/programs/run-line.js';

const secret = 'c2lnbmF0dXJlIG9mIGEgY2xpZW50';

// A rule counts the reads of two seconds. The clock stands still, so that a slow machine finds the same.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describe.each([
  ['plain', `sig=${secret}`],
  ['encoded', `%73ig%3D${secret}`],
  ['encoded twice', `sig%253D${secret}`],
])('A signature that is part of a query or a key, %s,', (_how, signature) => {
  let server: RunningServer;
  let client: ServiceClient;
  /** The ids of the requests that were rejected. */
  const rejected: string[] = [];

  const query = async (options: Readonly<Record<string, string>>, table = 'People') => {
    const pairs = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const { status, headers } = await client.get(`/${table}?${pairs.join('&')}`);
    if (status >= 400) rejected.push(headers['x-ms-request-id'] ?? '');
    return status;
  };

  beforeAll(async () => {
    server = await startServer({ ...defaultConfig, port: 0, silent: true, inMemory: true, coachesAll: true });
    const { url } = server;
    client = new ServiceClient(() => ({
      ...{ url, base: `${url}/${developmentAccount.name}`, account: developmentAccount },
      ...{ takeLoggedErrors: () => [], close: () => server.close() },
    }));
    await client.post('/Tables', { TableName: 'People' });
    const key = encodeURIComponent(signature);
    for (let row = 1; row <= 10; row++) {
      await client.post('/People', { PartitionKey: 'p', RowKey: `${signature}-${row}` });
    }
    for (let row = 1; row <= 10; row++) await client.get(`/People(PartitionKey='p',RowKey='${key}-${row}')`);
    expect(await query({ $filter: `Url eq 'https://host/table?${signature}'` })).toBe(200);
    expect(await query({ $filter: `PartitionKey eq 'p' and (RowKey eq '${signature}' or RowKey eq 'b')` })).toBe(200);
    expect(await query({ $filter: `PartitionKey eq 'p' and RowKey ge '${signature}-9'` })).toBe(200);
    expect(await query({ $filter: `startswith(Url,'https://host/table?${signature}')` })).toBe(501);
    await query({ $filter: "Url eq 'h'" }, key);
    await query({ $filter: "startswith(Url,'h')" }, key);
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  it.each(['coach', 'coach?ended'])('is not in the answer of %s', async (path) => {
    const text = await (await fetch(`${server.url}/_tabularium/${path}`)).text();
    expect(text).toContain('…');
    expect(text).not.toContain(secret);
  });

  it('leaves a finding of each kind of text', async () => {
    const text = await (await fetch(`${server.url}/_tabularium/coach`)).text();
    for (const rule of ['table-scan', 'partition-scan', 'rejected-filter', 'n+1']) {
      expect(text).toContain(`"rule":"${rule}"`);
    }
    expect(text).toContain('"rewritten":[');
  });

  it('is not in the output of the commands coach and why', async () => {
    expect(rejected.length).toBeGreaterThan(0);
    const lines: readonly (readonly [RegExp, ...string[]])[] = [
      [/^warn rejected-filter/m, 'coach'],
      [/"rule":"rejected-filter"/, 'coach', '--json'],
      ...rejected.map((id) => [/^(?:501|404|400) /, 'why', id] as const),
    ];
    for (const [shown, ...words] of lines) {
      const { code, out } = await runLine(words, { TABULARIUM_URL: server.url });
      expect({ words, code, out }).toMatchObject({ words, code: 0, out: expect.stringMatching(shown) });
      expect(out, words.join(' ')).not.toContain(secret);
    }
  });

  it('is not in the reports, the summary and the lines of a run whose budget is broken', async () => {
    const folder = await makeFolder();
    const files = reportFormats.map((format) => join(folder, `report.${format}`));
    const summary = join(folder, 'summary.md');
    const accept = join(folder, 'accepted.json');
    await writeFile(accept, '{"accept":[]}');
    const plan = readRunPlan(
      {
        budget: 'table-scan=0,partition-scan=0,rejected-filter=0,info=0,n+1/sequence=0',
        ...{ report: files, accept },
      },
      defaultConfig,
    );
    if (!plan) throw new Error('there is no plan');
    const lines: string[] = [];
    await judgeRun(plan, server, (line) => lines.push(line), summary);
    const printed = lines.join('\n');
    await judgeRun({ ...plan, reports: [], acceptsAll: true }, server, () => {}, undefined);

    expect(printed.match(/budget broken/g)?.length).toBeGreaterThanOrEqual(5);
    expect(printed).not.toContain(secret);
    for (const file of [...files, summary, accept]) {
      const text = await readFile(file, 'utf8');
      expect(text, file).toContain('rejected-filter');
      expect(text, file).not.toContain(secret);
    }
  });
});
