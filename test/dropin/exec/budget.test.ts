import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../../support/programs/place.js';
import { sendingProgram } from '../../support/programs/sending-program.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

/** A program that marks itself as a test and searches a table by a RowKey, then ends with a code. */
const program = (code = 0) =>
  sendingProgram(
    [
      ['POST', '/Tables', { TableName: 'People' }],
      ['GET', "/People?$filter=RowKey%20eq%20'007'"],
    ],
    code,
    'test/people.test.ts > finds Jones',
  );

const exec = (options: readonly string[], code = 0, summary = '') => {
  const words = ['exec', ...options, '--', process.execPath, '--eval', program(code)];
  return place.start('tabularium', words, { GITHUB_STEP_SUMMARY: summary }).ended;
};

const file = (name: string) => join(place.folder, name);

describe('tabularium exec --budget', () => {
  it('ends with 3 if the requests cost more, and prints the whole finding once', async () => {
    const { code, errors, output } = await exec(['--budget', 'warn=0,table-scan/rowkey-only=0,requests=100']);

    expect({ code, output }).toEqual({ code: 3, output: '' });
    expect(errors.replace(/[0-9a-f-]{36}/, 'ID').split('\n')).toEqual([
      'budget broken: warn is 1; limit 0 (findings that warn or are serious)',
      '  warn table-scan/rowkey-only in devstoreaccount1/People, 1 call: The RowKey is given without the PartitionKey, so the whole table is read.',
      '    query: people where RowKey eq ?',
      "    as in: RowKey eq '007'",
      '    in the cloud: Every entity of the table is read.',
      '    Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions. Table design guide: Inter-partition secondary index pattern.',
      '    seen in: test/people.test.ts > finds Jones',
      '    first request: ID',
      '    to accept it, add to tabularium.coach.json: {"rule":"table-scan/rowkey-only","table":"People","shape":"people where RowKey eq ?","why":"…"}',
      'budget broken: table-scan/rowkey-only is 1; limit 0 (operations with such a finding)',
      '',
    ]);
  });

  it('ends with the code of its command if the budget holds, or if the command failed', async () => {
    expect(await exec(['--budget', 'table-scan=1'])).toMatchObject({ code: 0, errors: '' });
    expect(await exec(['--budget', 'warn=0'], 7)).toMatchObject({ code: 7 });
  });

  it('is broken if no request reached the server', async () => {
    const run = (...options: readonly string[]) =>
      place.start('tabularium', ['exec', ...options, '--', process.execPath, '--eval', '']).ended;
    const hint = '0 requests reached the server. Does the command use AZURE_STORAGE_CONNECTION_STRING?';

    expect(await run('--budget', 'warn=0')).toMatchObject({ code: 3, errors: `budget broken: ${hint}\n` });
    expect(await run('--budget', 'warn=0,requests=0')).toMatchObject({ code: 0, errors: '' });

    await writeFile(file('accepted.json'), '{"accept":[]}');
    const { code, errors } = await run('--accept', file('accepted.json'), '--acceptAll');
    expect({ code, errors }).toEqual({ code: 2, errors: `${hint} ${file('accepted.json')} stays as it was.\n` });
    expect(await readFile(file('accepted.json'), 'utf8')).toBe('{"accept":[]}');
  });

  it('holds for the first example of the README', async () => {
    const page = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, budget = ''] = /`exec --budget (\S+)`/.exec(page) ?? [];
    const [, example = ''] = /exec -- node (\S+)/.exec(page) ?? [];
    const path = fileURLToPath(new URL(`../../../${example}`, import.meta.url));
    const { code, errors } = await place.start('tabularium', ['exec', '--budget', budget, '--', process.execPath, path])
      .ended;
    expect({ budget, code, errors }).toEqual({ budget: 'warn=0', code: 0, errors: '' });
  });

  it('rejects a wrong budget before anything starts', async () => {
    const { code, errors, output } = await exec(['--budget', 'table-scn=0'], 7);
    expect({ code, output, errors }).toEqual({
      ...{ code: 2, output: '' },
      errors: "--budget: there is nothing named 'table-scn'. Did you mean 'table-scan'?\n",
    });
  });

  it('writes reports, and the summary of a step of GitHub Actions', async () => {
    const [markdown, json, summary] = ['a.md', 'a.json', 'summary.md'].map(file);
    await writeFile(`${summary}`, 'before\n');
    const reports = [markdown, json].flatMap((one) => ['--report', `${one}`]);

    expect(await exec(reports, 0, summary)).toMatchObject({ code: 0, errors: '' });

    const read = (path: string | undefined) => readFile(`${path}`, 'utf8');
    expect(await read(markdown)).toContain('**warn** table-scan/rowkey-only in devstoreaccount1/People');
    expect(await read(summary)).toBe(`before\n${await read(markdown)}`);
    expect(JSON.parse(await read(json)).findings).toMatchObject([{ rule: 'table-scan' }]);
    // Its server is gone, so nothing in a report may ask it.
    for (const report of [markdown, json]) expect(await read(report)).not.toMatch(/127\.0\.0\.1|curl/);
  });

  it('accepts all findings of a run in one file, and no others', async () => {
    const accept = ['--accept', file('accepted.json')];
    expect(await exec([...accept, '--acceptAll', '--budget', 'warn=0'])).toMatchObject({ code: 0, errors: '' });
    const entry = { rule: 'table-scan/rowkey-only', table: 'People', shape: 'people where RowKey eq ?' };
    expect(JSON.parse(await readFile(file('accepted.json'), 'utf8'))).toMatchObject({ accept: [entry] });
    expect(await exec([...accept, '--budget', 'warn=0'])).toMatchObject({ code: 0, errors: '' });

    await writeFile(file('accepted.json'), '{"accept":[]}');
    expect(await exec([...accept, '--budget', 'warn=0'])).toMatchObject({ code: 3 });
  });

  it('reports accepted findings that match nothing', async () => {
    const accept = [
      { rule: 'table-scan', table: 'People', why: 'three rows' },
      { rule: 'near-limit', why: 'is gone' },
    ];
    await writeFile(file('accepted.json'), JSON.stringify({ accept }));
    const options = ['--accept', file('accepted.json'), '--report', file('a.md'), '--budget', 'warn=0'];

    expect(await exec(options)).toMatchObject({
      ...{ code: 0, errors: 'The accepted near-limit (is gone) was not found. Remove the entry.\n' },
    });
    expect(await readFile(file('a.md'), 'utf8')).toMatch(/## Accepted\n\n- warn table-scan.* three rows\n/);
  });

  it('names a report that cannot be written', async () => {
    const report = ['--report', join(place.folder, 'no-such-folder', 'a.md')];
    const { code, errors } = await exec(report);
    expect({ code, errors }).toMatchObject({ code: 2, errors: expect.stringContaining('it does not exist') });
    expect(await exec(report, 7)).toMatchObject({ code: 7 });
  });
});
