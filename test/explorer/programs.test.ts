import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstProgram, languages as programs, writeQuery } from '../../src/explorer/parts/programs.js';
import { startTabularium, type Tabularium } from '../../src/index.js';

const run = promisify(execFile);

/** A language whose programs are copied from the page. Its packages are those of the client suites. */
interface Language {
  /** Programs that must be on the path, as for the client suite of the language. */
  readonly needs: readonly string[];
  /** The file of the first program, and of a query. */
  readonly files: readonly [string, string];
  /** Fetches packages into a folder. */
  prepare?(folder: string): Promise<unknown>;
  /** Returns the command that runs a file of the folder. */
  command(file: string, folder: string): readonly [string, ...string[]];
}

const python = resolve('.clients/python/bin/python');

const languages: Readonly<Record<string, Language>> = {
  JavaScript: {
    needs: [],
    files: ['orders.mjs', 'query.mjs'],
    command: (file) => [process.execPath, file],
  },
  Python: {
    needs: ['python3'],
    files: ['orders.py', 'query.py'],
    async prepare() {
      await run('python3', ['-m', 'venv', '.clients/python']);
      const lock = 'test/clients/python/requirements-python.txt';
      await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', lock]);
    },
    command: (file) => [python, file],
  },
  Go: {
    needs: ['go'],
    files: ['orders/main.go', 'query/main.go'],
    async prepare(folder) {
      for (const file of ['go.mod', 'go.sum']) cpSync(join('test/clients/go', file), join(folder, file));
    },
    command: (file) => ['go', 'run', `./${file.replace('/main.go', '')}`],
  },
  Java: {
    needs: ['java', 'mvn'],
    files: ['Orders.java', 'Query.java'],
    prepare: (folder) =>
      run('mvn', [
        ...['--quiet', '--batch-mode', '--file', 'test/clients/java/pom.xml'],
        ...['dependency:copy-dependencies', `-DoutputDirectory=${join(folder, 'packages')}`],
      ]),
    command: (file) => ['java', '-cp', 'packages/*', file],
  },
};

describe.each(Object.entries(languages))('Programs in %s that are copied from the page', (label, language) => {
  const { needs, files, prepare, command } = language;
  const missing = needs.filter((program) => spawnSync(program, ['--version']).error);
  const need = missing.length === 0 ? '' : ` (not on this machine: ${missing.join(', ')})`;
  let folder = '';
  let server: Tabularium;
  beforeAll(async () => {
    if (missing.length > 0) return;
    mkdirSync('.clients', { recursive: true });
    // Within the project, whose packages a program in JavaScript finds.
    folder = resolve(mkdtempSync(join('.clients', 'programs-')));
    await prepare?.(folder);
    server = await startTabularium();
  });
  afterAll(async () => {
    await server?.close();
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  /** Writes a program to a file and runs it. Returns its output. */
  async function runProgram(file: string, text: string): Promise<string> {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
    const [program, ...args] = command(file, folder);
    const env = { ...process.env, AZURE_STORAGE_CONNECTION_STRING: server.connectionString };
    return (await run(program, args, { cwd: folder, env })).stdout;
  }

  it.skipIf(missing.length > 0)(`run as they are, also twice, and find what they have written${need}`, async () => {
    const program = programs.find((one) => one.label === label);
    const lines = program ? firstProgram(program) : '';
    await runProgram(files[0], lines);
    await runProgram(files[0], lines);
    const table = TableClient.fromConnectionString(server.connectionString, 'orders', {
      allowInsecureConnection: true,
    });
    expect((await table.getEntity('customer1', '0001'))['total']).toBe(9.5);

    await table.createEntity({ partitionKey: "O'Hara $x", rowKey: 'found', total: 2, name: 'a\\"b' });
    const filter = `PartitionKey eq 'O''Hara $x' and total gt 1 and name eq 'a\\"b'`;
    for (const wish of [
      { filter, select: ['RowKey', 'total'] },
      { filter: '', select: undefined },
    ]) {
      const text = program
        ? writeQuery(program, { root: server.url, account: 'devstoreaccount1', table: 'orders', ...wish })
        : '';
      const output = await runProgram(files[1], text);
      expect(output).toContain('found');
      expect(output.includes('0001')).toBe(wish.filter === '');
    }
  });
});
