import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/programs/make-folder.js';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

describe('tabularium import and export', () => {
  let folder: string;
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  afterAll(() => service.close());

  const run = (...words: readonly string[]) => runLine(words, { TABULARIUM_URL: service.url });
  const put = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const importLines = async (...words: readonly string[]) => {
    const { code, out, errors } = await run('import', ...words);
    const lines = (text: string) => text.trimEnd().split('\n').filter(Boolean);
    return { code, lines: lines(out).map((line) => line.replace(/\d+ ms$/, 'N ms')), errors: lines(errors) };
  };

  it('import files of each format into the tables that they name, or that have their names', async () => {
    const row = (rowKey: string) => `{"PartitionKey":"p","RowKey":"${rowKey}"}`;
    await put('all.ndjson', `{"$table":"First"}\n${row('a')}\n`);
    await put('Second.typed.csv', 'PartitionKey,RowKey,N,N@type\np,b,1,Edm.Int32\n');
    await put('Third.json', `[${row('c')}]`);
    await put('notes.txt', '');
    expect(await importLines(folder)).toEqual({
      lines: ['Second.typed.csv', 'Third.json', 'all.ndjson'].map(
        (name) => `${join(folder, name)}: 1 entity in 1 table imported, N ms`,
      ),
      errors: [],
      code: 0,
    });
    const output = join(folder, 'exported');
    expect(await run('export', output)).toEqual({ code: 0, out: '', errors: '' });
    const second = '{"$table":"Second"}\n{"PartitionKey":"p","RowKey":"b","N":1}\n';
    expect(await readFile(join(output, 'Second.ndjson'), 'utf8')).toBe(second);
  });

  it('reject a path that ends as no format does, unless a slash follows', async () => {
    const path = join(folder, 'people.txt');
    expect(await run('export', path)).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^Unknown format: .*people\.txt\. .*, or in a slash for a folder\.\n$/),
    });
    expect(existsSync(path)).toBe(false);
    expect(await run('export', `${path}/`)).toMatchObject({ code: 0, errors: '' });
    expect(await run('export', path)).toMatchObject({ code: 0, errors: '' });
    expect(existsSync(join(path, 'Second.ndjson'))).toBe(true);
  });

  it('reject a dash, which makes no folder', async () => {
    expect(await run('export', '-')).toEqual({
      code: 2,
      out: '',
      errors: 'PATH cannot be -. Without a PATH, the answer goes to standard output.\n',
    });
    expect(existsSync('-')).toBe(false);
  });

  it('make the name of a table of a file name that is none, and say so', async () => {
    const text = 'PartitionKey,RowKey\np,1\n';
    const path = await put('2024 my-orders.csv', text);
    expect(await importLines(path)).toEqual({
      lines: [`${path}: 1 entity in 1 table imported, N ms`],
      errors: [`${path}: rows that name no table go to the table myorders`],
      code: 0,
    });
    expect((await run('export', '--table', 'myorders')).out).toContain('"RowKey":"1"');
    const nameless = await put('2024.csv', text);
    expect((await importLines(nameless)).errors.join()).toContain('Name the table with --table (in a program: table).');
  });

  it('say which rows are rejected', async () => {
    const path = await put('Rejected.csv', 'PartitionKey,RowKey,N\na/b,1,2\np,1,2\n');
    expect(await importLines(path, '--infer')).toEqual({
      lines: ['Rejected: types are N Edm.Int32', `${path}: 1 entity in 1 table imported, 1 rejected, N ms`],
      errors: [
        `${path}:2:1: Rejected ('a/b', '1'): OutOfRangeInput: The PartitionKey 'a/b' has '/' at position 1, which keys cannot contain. Keys cannot contain / \\ # ? or control characters. Encode them, for example as base64url.`,
      ],
      code: 1,
    });
    const { lines } = await importLines(path, '--dryRun', '--mode', 'replace', '--json');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ file: path, rows: 1, rejectedRows: 1 });
  });

  it('take a map from a file', async () => {
    const map = await put('map.json', '{"columns":{"Id":"RowKey"}}');
    const path = await put('Mapped.csv', 'PartitionKey,Id\np,1\n');
    expect((await importLines('--map', map, path)).lines).toEqual([`${path}: 1 entity in 1 table imported, N ms`]);
    const output = join(folder, 'out.csv');
    await run('export', output, '--table', 'Mapped');
    expect(await readFile(output, 'utf8')).toBe('PartitionKey,RowKey\np,1\n');
  });

  it('say why a file cannot be imported', async () => {
    const errorOf = async (path: string) => (await importLines(path)).errors.join();
    expect(await errorOf(join(folder, 'missing.csv'))).toContain('No such file or folder');
    expect(await errorOf(await put('x.parquet', ''))).toContain('The name must end in .ndjson, .jsonl,');
    const path = await put('broken.json', '{"tables":{');
    expect(await errorOf(path)).toContain(`${path} was not imported to its end. The JSON is truncated.`);
    expect((await importLines()).errors).toEqual(['PATH is missing, such as "people.csv".']);
  });

  it('know the format of a path by its end, and a second import names the option that replaces', async () => {
    const people = await put('people.csv', 'PartitionKey,RowKey,Name\np,1,Ann\n');
    expect(await importLines(people)).toMatchObject({ code: 0, errors: [] });
    const again = await importLines(people);
    expect(again).toEqual({
      code: 1,
      lines: [`${people}: 0 entities in 1 table imported, 1 rejected, N ms`],
      errors: [
        `${people}:2: people ('p', '1'): EntityAlreadyExists: An entity with these keys already exists. Use insert-or-replace or insert-or-merge if that is fine, or choose another RowKey.`,
        'Entities that exist stay as they were. --mode replace replaces them, --mode merge merges the properties.',
      ],
    });
    expect(await importLines(people, '--mode', 'replace')).toMatchObject({ code: 0, errors: [] });
    const out = join(folder, 'out.csv');
    await run('export', out, '--table', 'people');
    expect(await readFile(out, 'utf8')).toMatch(/^PartitionKey,RowKey,Name,.*\np,1,Ann,.*\n$/);
    expect((await run('export', '--table', 'people', '--format', 'csv')).out).toBe(await readFile(out, 'utf8'));
  });
});
