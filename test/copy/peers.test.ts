import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { copyBetween, manyRows, oddData, startTwo } from '../support/copy/copy-between.js';

const run = promisify(execFile);

/** Copies odd entities and many plain ones. Calls `compare` with both ends: it shares no code with the copy. */
async function afterCopy(compare: (one: string, other: string) => Promise<unknown>): Promise<void> {
  await using servers = await startTwo(oddData + manyRows(2500, 120));
  const [one, other] = [servers.one.connectionString, servers.other.connectionString];
  expect((await copyBetween(one, other)).rows).toBe(2515);
  expect(await compare(one, other)).toEqual({ Bare: 0, Held: 1, Many: 2500, Odd: 14 });
}

it('The SDK for JavaScript finds the same entities in both ends of a copy', async () => {
  const options = { allowInsecureConnection: true };
  const read = async (end: string) => {
    const tables = new Map<string, unknown[]>();
    for await (const { name = '' } of TableServiceClient.fromConnectionString(end, options).listTables()) {
      const rows: unknown[] = [];
      const client = TableClient.fromConnectionString(end, name, options);
      for await (const { etag, timestamp, ...row } of client.listEntities({ disableTypeConversion: true }))
        rows.push(row);
      tables.set(name, rows);
    }
    return tables;
  };
  await afterCopy(async (one, other) => {
    const found = await read(other);
    expect(found).toEqual(await read(one));
    return Object.fromEntries([...found].map(([name, rows]) => [name, rows.length]));
  });
});

it('The SDK for Python finds the same entities in both ends of a copy', async () => {
  const version = '12.7.0';
  const place = join(tmpdir(), `tabularium-python-tables-${version}`);
  const python = join(place, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (!existsSync(join(place, 'installed'))) {
    await run('python3', ['-m', 'venv', place]);
    const words = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `azure-data-tables==${version}`];
    await run(python, words);
    await run(python, ['-c', `open(${JSON.stringify(join(place, 'installed'))}, 'w')`]);
  }
  await afterCopy(async (one, other) => {
    const { stdout } = await run(python, [join(import.meta.dirname, 'compare.py'), one, other]);
    return JSON.parse(stdout);
  });
});
