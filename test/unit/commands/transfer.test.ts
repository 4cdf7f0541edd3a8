import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportData } from '../../../src/commands/export.js';
import { type ImportQuestion, importPaths } from '../../../src/commands/import.js';
import { makeFolder } from '../../support/make-folder.js';
import { configOf } from '../../support/parse-command.js';
import { type RunningService, startService } from '../../support/start-service.js';

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

  const config = () => configOf(['--tablePort', new URL(service.url).port]);
  const put = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const importLines = async (question: Omit<ImportQuestion, 'paths'>, ...paths: readonly string[]) => {
    const [lines, progress]: [string[], string[]] = [[], []];
    const output = { print: (line: string) => lines.push(line), printProgress: (line: string) => progress.push(line) };
    const isRefused = await importPaths(config(), { ...question, paths }, output);
    return { lines: lines.map((line) => line.replace(/\d+ ms$/, 'N ms')), progress, isRefused };
  };

  it('import files of each format into the tables that they name, or that have their names', async () => {
    const row = (rowKey: string) => `{"PartitionKey":"p","RowKey":"${rowKey}"}`;
    await put('all.ndjson', `{"$table":"First"}\n${row('a')}\n`);
    await put('Second.typed.csv', 'PartitionKey,RowKey,N,N@type\np,b,1,Edm.Int32\n');
    await put('Third.json', `[${row('c')}]`);
    await put('notes.txt', '');
    expect(await importLines({}, folder)).toEqual({
      lines: ['Second.typed.csv', 'Third.json', 'all.ndjson'].map(
        (name) => `${join(folder, name)}: 1 entities in 1 tables imported, N ms`,
      ),
      progress: [],
      isRefused: false,
    });
    const output = join(folder, 'exported');
    await exportData(config(), { output }, () => {});
    const second = '{"$table":"Second"}\n{"PartitionKey":"p","RowKey":"b","N":1}\n';
    expect(await readFile(join(output, 'Second.ndjson'), 'utf8')).toBe(second);
  });

  it('say which rows are rejected', async () => {
    const path = await put('Refused.csv', 'PartitionKey,RowKey,N\na/b,1,2\np,1,2\n');
    expect(await importLines({ infer: true }, path)).toEqual({
      lines: ['Refused: types are N Edm.Int32', `${path}: 1 entities in 1 tables imported, 1 refused, N ms`],
      progress: [
        `${path}:2:1: Refused ('a/b', '1'): OutOfRangeInput: The 'PartitionKey' parameter of value 'a/b' is out of range.`,
      ],
      isRefused: true,
    });
    const { lines } = await importLines({ dryRun: true, mode: 'replace', json: true }, path);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ file: path, rows: 1, refusedRows: 1 });
  });

  it('take a map from a file', async () => {
    const map = await put('map.json', '{"columns":{"Id":"RowKey"}}');
    const path = await put('Mapped.csv', 'PartitionKey,Id\np,1\n');
    expect((await importLines({ map }, path)).lines).toEqual([`${path}: 1 entities in 1 tables imported, N ms`]);
    const output = join(folder, 'out.csv');
    await exportData(config(), { output, table: 'Mapped' }, () => {});
    expect(await readFile(output, 'utf8')).toBe('PartitionKey,RowKey\np,1\n');
  });

  it('say why a file cannot be imported', async () => {
    await expect(importLines({}, join(folder, 'missing.csv'))).rejects.toThrow('There is no file or folder');
    await expect(importLines({}, await put('x.parquet', ''))).rejects.toThrow('Let its name end in .ndjson, .jsonl,');
    const path = await put('broken.json', '{"tables":{');
    await expect(importLines({}, path)).rejects.toThrow(
      `${path} was not imported to its end. The JSON ends in the middle.`,
    );
  });
});
