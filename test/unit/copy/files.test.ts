import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyBetween, exported, manyRows, newState, oddData, startTwo } from '../../support/copy/copy-between.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (...names: string[]) => join(folder, ...names);

it('An account is copied to files and back without a change', async () => {
  await using servers = await startTwo(oddData);
  const { one, other } = servers;
  const wish = { transfers: 4 };
  expect((await copyBetween(one.connectionString, inFolder('all.ndjson'), wish)).tables.map((t) => t.verified)).toEqual(
    ['same', 'same', 'same'],
  );
  await copyBetween(inFolder('all.ndjson'), inFolder('backup/'));
  expect(readdirSync(inFolder('backup')).sort()).toEqual(['Bare.ndjson', 'Held.ndjson', 'Odd.ndjson']);
  const report = await copyBetween(inFolder('backup'), other.connectionString);
  expect(report.tables.map(({ verified }) => verified)).toEqual(['same', 'same', 'same']);
  expect(await exported(other)).toBe(await exported(one));
  expect(readFileSync(inFolder('all.ndjson'), 'utf8')).toBe(await exported(one));
});

it('CSV and JSON are read as an import reads them', async () => {
  await using servers = await startTwo('');
  const { other } = servers;
  writeFileSync(inFolder('People.csv'), 'PartitionKey,RowKey,Age,Age@type\np,r,5,Edm.Int32\n');
  await copyBetween(inFolder('People.csv'), other.connectionString);
  writeFileSync(inFolder('data.json'), '{"tables":{"Jobs":[{"PartitionKey":"p","RowKey":"r","X":1.50}]}}');
  await copyBetween(inFolder('data.json'), other.connectionString);
  expect(await exported(other)).toBe(
    '{"$table":"Jobs"}\n{"PartitionKey":"p","RowKey":"r","X":1.5}\n{"$table":"People"}\n{"PartitionKey":"p","RowKey":"r","Age":5}\n',
  );
  await expect(copyBetween(other.connectionString, inFolder('x.csv'))).rejects.toThrow('is not NDJSON');
});

it('Rows that cannot be read are listed with their line, and the others are copied', async () => {
  await using servers = await startTwo('');
  const path = inFolder('rows.ndjson');
  const lines = [
    '{"$table":"Rows"}',
    '{"PartitionKey":"p","RowKey":"1"}',
    '{"PartitionKey":"p"',
    'text',
    '{"PartitionKey":"p","RowKey":"2","A":{}}',
    '{"PartitionKey":"p","RowKey":"3"}',
  ];
  writeFileSync(path, lines.join('\n'));
  const report = await copyBetween(path, servers.other.connectionString);
  expect(report.tables).toMatchObject([{ read: 2, written: 2, rejected: 3, verified: 'same' }]);
  expect(report.rejected.map(({ message }) => message.slice(path.length))).toEqual([
    ':3: an entity is cut off',
    ':4: there is no entity',
    ':5: a value is a list or an object',
  ]);
});

it('The last row of a key in a file is the one that stays, however far from the first', async () => {
  await using servers = await startTwo('');
  const row = (at: number) => `{"PartitionKey":"p","RowKey":"${at % 300}","N":${at}}`;
  writeFileSync(
    inFolder('rows.ndjson'),
    `{"$table":"Rows"}\n${Array.from({ length: 2100 }, (_, at) => row(at)).join('\n')}\n`,
  );
  const report = await copyBetween(inFolder('rows.ndjson'), servers.other.connectionString, { mode: 'replace' });
  expect(report.tables).toMatchObject([{ read: 2100, written: 2100, verified: 'same' }]);
  const found = (await exported(servers.other)).trim().split('\n').slice(1);
  expect(found.map((line) => JSON.parse(line).N).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 300 }, (_, at) => 1800 + at),
  );
});

it('A filter and a selection apply to files, too', async () => {
  await using servers = await startTwo('');
  writeFileSync(inFolder('rows.ndjson'), manyRows(100));
  const wish = { filter: 'Age lt 3 and Total gt 1L', select: ['Age'] };
  await copyBetween(inFolder('rows.ndjson'), servers.other.connectionString, wish);
  expect(await exported(servers.other)).toBe(
    '{"$table":"Many"}\n{"PartitionKey":"p00000","RowKey":"00000002","Age":2}\n',
  );
  const wrong = copyBetween(inFolder('rows.ndjson'), servers.other.connectionString, { filter: 'Age lt' });
  await expect(wrong).rejects.toThrow('The filter is not valid: Age lt');
});

it('A file that exists is replaced only if the mode says so', async () => {
  writeFileSync(inFolder('rows.ndjson'), manyRows(5));
  writeFileSync(inFolder('target.ndjson'), 'mine');
  await expect(copyBetween(inFolder('rows.ndjson'), inFolder('target.ndjson'))).rejects.toThrow(
    'exists. Remove it, or pass --mode replace.',
  );
  expect(readFileSync(inFolder('target.ndjson'), 'utf8')).toBe('mine');
  await copyBetween(inFolder('rows.ndjson'), inFolder('target.ndjson'), { mode: 'replace' });
  expect(readFileSync(inFolder('target.ndjson'), 'utf8')).toBe(manyRows(5));
});

it.each(['all.ndjson', 'folder/'])(
  'An interrupted copy to %s continues at the entity after the last one',
  async (name) => {
    await using servers = await startTwo(manyRows(3500) + manyRows(2500, 100, 'Next'));
    const { one } = servers;
    const state = newState();
    // With the page that is written meanwhile, neither brings all.
    for (const rows of [1000, 1500]) {
      const stop = new AbortController();
      let count = 0;
      const add = (what: string, more: number) => {
        count += what.includes('verifying') ? 0 : more;
        if (count >= rows) stop.abort(new Error('stopped'));
      };
      const options = { signal: stop.signal, progress: { add, end: () => {} } };
      // One page at a time.
      const wish = { state, transfers: 1 };
      await copyBetween(one.connectionString, inFolder(name), wish, options).catch((error) =>
        expect(error.message).toBe('stopped'),
      );
    }
    const report = await copyBetween(one.connectionString, inFolder(name), { state });
    expect(report.tables).toMatchObject([
      { read: 3500, verified: 'same' },
      { read: 2500, verified: 'same' },
    ]);
    const files = name === 'folder/' ? ['folder/Many.ndjson', 'folder/Next.ndjson'] : [name];
    expect(files.map((file) => readFileSync(inFolder(file), 'utf8')).join('')).toBe(await exported(one));
  },
);

it('Other files beside the parts of a target stay', async () => {
  await using servers = await startTwo(manyRows(3));
  mkdirSync(inFolder('backup.part'));
  writeFileSync(inFolder('backup.part', 'mine.txt'), 'mine');
  await copyBetween(servers.one.connectionString, inFolder('backup/'));
  expect(readdirSync(inFolder('backup.part'))).toEqual(['mine.txt']);
  expect(readFileSync(inFolder('backup', 'Many.ndjson'), 'utf8')).toBe(manyRows(3));
});

it('A part of a file that has become shorter is not continued', async () => {
  await using servers = await startTwo(manyRows(3000));
  const state = newState();
  // There is room for one page, so the first one is written before the last one is read.
  const wish = { state, transfers: 1 };
  const stop = new AbortController();
  const options = { signal: stop.signal, progress: { add: () => stop.abort(new Error('stopped')), end: () => {} } };
  await expect(copyBetween(servers.one.connectionString, inFolder('a.ndjson'), wish, options)).rejects.toThrow(
    'stopped',
  );
  truncateSync(inFolder('a.ndjson.part', 'Many.ndjson'), 10);
  await expect(copyBetween(servers.one.connectionString, inFolder('a.ndjson'), { state })).rejects.toThrow(
    'is shorter than at the interruption',
  );
  rmSync(state);
});
