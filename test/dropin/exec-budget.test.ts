import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

/** A program that marks itself as a test and searches a table by a property and by a RowKey, then ends with a code. */
const program = (code = 0) => `
  (async () => {
    const endpoint = process.env.TABULARIUM_ENDPOINT;
    const root = new URL('/_tabularium/marks', endpoint);
    const headers = { 'Content-Type': 'application/json' };
    await fetch(root, { method: 'POST', headers, body: JSON.stringify({ name: 'test/people.test.ts > finds Jones' }) });
    process.exitCode = ${code};
    const { createHmac } = require('node:crypto');
    const [, name] = /AccountName=([^;]+)/.exec(process.env.TABULARIUM_CONNECTION_STRING);
    const [, key] = /AccountKey=([^;]+)/.exec(process.env.TABULARIUM_CONNECTION_STRING);
    const send = (method, path, body, query = '') => {
      const date = new Date().toUTCString();
      const { pathname } = new URL(endpoint);
      const text = date + '\\n/' + name + pathname + path;
      const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
      return fetch(endpoint + path + query, {
        method, body: body && JSON.stringify(body),
        headers: { ...headers, Accept: 'application/json', 'x-ms-date': date, Authorization: 'SharedKeyLite ' + name + ':' + signature },
      }).then((answer) => answer.text());
    };
    await send('POST', '/Tables', { TableName: 'People' });
    await send('GET', '/People', undefined, "?$filter=RowKey%20eq%20'007'");
  })()`;

const exec = (options: readonly string[], code = 0, summary = '') => {
  const words = ['exec', ...options, '--', process.execPath, '--eval', program(code)];
  return place.start('tabularium', words, { GITHUB_STEP_SUMMARY: summary }).ended;
};

const file = (name: string) => join(place.folder, name);

describe('tabularium exec --budget', () => {
  it('ends with 3 if the requests cost more, and names the query, the test and the request', async () => {
    const { code, errors, output } = await exec(['--budget', 'rowkey-only=0,transactions=100']);

    expect({ code, output }).toEqual({ code: 3, output: '' });
    expect(errors).toMatch(
      new RegExp(
        [
          '^budget broken: rowkey-only is 1, and at most 0 is allowed \\(queries with a RowKey and no PartitionKey\\)',
          '  1 × people where RowKey eq \\? \\(table People\\)',
          '  seen in: test/people.test.ts > finds Jones',
          '  first request: [0-9a-f-]{36}\n$',
        ].join('\n'),
      ),
    );
  });

  it('ends with the code of its command if the budget holds, or if the command failed', async () => {
    expect(await exec(['--budget', 'rowkey-only=1'])).toMatchObject({ code: 0, errors: '' });
    expect(await exec(['--budget', 'rowkey-only=0'], 7)).toMatchObject({ code: 7 });
  });

  it('is broken if no request reached the server', async () => {
    const run = (...options: readonly string[]) =>
      place.start('tabularium', ['exec', ...options, '--', process.execPath, '--eval', '']).ended;
    const hint = '0 requests reached the server. Does the command use AZURE_STORAGE_CONNECTION_STRING?';

    expect(await run('--budget', 'table-scan=0')).toMatchObject({ code: 3, errors: `budget broken: ${hint}\n` });
    expect(await run('--budget', 'table-scan=0,transactions=0')).toMatchObject({ code: 0, errors: '' });

    await writeFile(file('baseline.json'), '{"findings":[]}');
    const baseline = ['--budgetBaseline', file('baseline.json')];
    expect(await run(...baseline)).toMatchObject({ code: 3, errors: `budget broken: ${hint}\n` });
    const { code, errors } = await run(...baseline, '--updateBaseline');
    expect({ code, errors }).toEqual({ code: 2, errors: `${hint} The baseline stays as it was.\n` });
    expect(await readFile(file('baseline.json'), 'utf8')).toBe('{"findings":[]}');
  });

  it('refuses a wrong budget before anything starts', async () => {
    const { code, errors, output } = await exec(['--budget', 'rowkeyonly=0'], 7);
    expect({ code, output, errors }).toEqual({
      ...{ code: 2, output: '' },
      errors: "--budget: there is nothing named 'rowkeyonly'. Did you mean 'rowkey-only'?\n",
    });
  });

  it('writes reports, and the summary of a step of GitHub Actions', async () => {
    const [markdown, json, sarif, html, summary] = ['a.md', 'a.json', 'a.sarif', 'a.html', 'summary.md'].map(file);
    await writeFile(`${summary}`, 'before\n');
    const reports = [markdown, json, sarif, html].flatMap((one) => ['--report', `${one}`]);

    expect(await exec(reports, 0, summary)).toMatchObject({ code: 0, errors: '' });

    const read = (path: string | undefined) => readFile(`${path}`, 'utf8');
    expect(await read(markdown)).toContain('**warn R5** The RowKey is given without the PartitionKey');
    expect(await read(summary)).toBe(`before\n${await read(markdown)}`);
    expect(JSON.parse(await read(json)).findings).toMatchObject([{ rule: 'R5' }]);
    const [run] = JSON.parse(await read(sarif)).runs;
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('test/people.test.ts');
    expect(await read(html)).toContain('<!doctype html>');
    // Its server is gone, so nothing in a report may ask it.
    for (const report of [markdown, json, sarif, html]) expect(await read(report)).not.toMatch(/127\.0\.0\.1|curl/);
  });

  it('accepts the findings of a baseline, and no others', async () => {
    const baseline = ['--budgetBaseline', file('baseline.json')];
    expect(await exec([...baseline, '--updateBaseline'])).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(await readFile(file('baseline.json'), 'utf8'))).toEqual({
      findings: [{ rule: 'R5', table: 'People', shape: 'people where RowKey eq ?' }],
    });
    expect(await exec(baseline)).toMatchObject({ code: 0, errors: '' });

    await writeFile(file('baseline.json'), '{"findings":[]}');
    const { code, errors } = await exec(baseline);
    expect(code).toBe(3);
    expect(errors).toContain('budget broken: number of new findings is 1, ');
  });

  it('accepts suppressed findings, and tells of suppressions that match nothing', async () => {
    const ignore = [
      { rule: 'R5', table: 'People', why: 'three rows' },
      { rule: 'R16', why: 'is gone' },
    ];
    await writeFile(file('suppressions.json'), JSON.stringify({ ignore }));
    const options = ['--suppressions', file('suppressions.json'), '--report', file('a.md'), '--budget', 'findings=0'];

    expect(await exec(options)).toMatchObject({
      ...{ code: 0, errors: 'The suppression of R16 (is gone) matches no finding.\n' },
    });
    expect(await readFile(file('a.md'), 'utf8')).toMatch(/## Suppressed\n\n- \*\*warn R5\*\* .*: three rows\n/);
  });

  it('names a report that cannot be written', async () => {
    const report = ['--report', join(place.folder, 'no-such-folder', 'a.md')];
    const { code, errors } = await exec(report);
    expect({ code, errors }).toMatchObject({ code: 2, errors: expect.stringContaining('it does not exist') });
    expect(await exec(report, 7)).toMatchObject({ code: 7 });
  });
});
