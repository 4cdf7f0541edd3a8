import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StateFile } from '../../../src/copy/copy-state.js';
import { copyBetween, exported, manyRows, newState, oddData, startTwo } from '../../support/copy/copy-between.js';
import { runLine } from '../../support/programs/run-line.js';

it('A copy is exact: odd values, names and keys, policies, and tables without entities', async () => {
  await using servers = await startTwo(oddData);
  const { one, other } = servers;
  const report = await copyBetween(one.connectionString, other.connectionString);
  expect(await exported(other)).toBe(await exported(one));
  expect(report.tables.map(({ table, read, written, verified }) => [table, read, written, verified])).toEqual([
    ['Bare', 0, 0, 'same'],
    ['Held', 1, 1, 'same'],
    ['Odd', 14, 14, 'same'],
  ]);
  expect(report).toMatchObject({ rows: 15, rejectedRows: 0, differences: 0, notes: [], continued: false });
});

it('A table is read in several ranges, each entity once', async () => {
  await using servers = await startTwo(manyRows(1500, 50));
  const { one, other } = servers;
  await one.faults.create({ fault: { kind: 'page', ends: 'rows', rows: 50 }, times: 100_000 });
  const wish = { transfers: 4 };
  const report = await copyBetween(one.connectionString, other.connectionString, wish, { sharedRowsMin: 100 });
  expect(report.tables).toMatchObject([{ read: 1500, written: 1500, same: 0, verified: 'same' }]);
  expect(await exported(other)).toBe(await exported(one));
});

it('A second copy writes nothing: entities with the same values are already there', async () => {
  await using servers = await startTwo(manyRows(250));
  const { one, other } = servers;
  await copyBetween(one.connectionString, other.connectionString);
  const report = await copyBetween(one.connectionString, other.connectionString);
  expect(report.tables).toMatchObject([{ read: 250, written: 0, same: 250, rejected: 0, verified: 'same' }]);
});

it.each([
  ['insert', { written: 1, same: 1, skipped: 0, rejected: 1, verified: 'contained' }, '"B":2'],
  ['skip', { written: 1, same: 1, skipped: 1, rejected: 0, verified: 'contained' }, '"B":2'],
  ['merge', { written: 3, same: 0, skipped: 0, rejected: 0, verified: 'contained' }, '"A":9,"B":2'],
  ['replace', { written: 3, same: 0, skipped: 0, rejected: 0, verified: 'contained' }, '"A":9'],
] as const)('With --mode %s, entities that exist are treated so: %j', async (mode, outcome, differing) => {
  const row = (key: string, members: string) => `{"PartitionKey":"p","RowKey":"${key}",${members}}\n`;
  await using servers = await startTwo(
    `{"$table":"Tab"}\n${row('differs', '"A":9')}${row('new', '"A":1')}${row('same', '"A":1')}`,
  );
  const { one, other } = servers;
  const before = `{"$table":"Tab"}\n${row('differs', '"B":2')}${row('other', '"A":1')}${row('same', '"A":1.0')}`;
  await other.import(bytesOf(before.replace('1.0}\n', '1}\n')));
  const report = await copyBetween(one.connectionString, other.connectionString, { mode });
  expect(report.tables).toMatchObject([{ table: 'Tab', read: 3, ...outcome }]);
  expect(report.differences).toBe(0);
  expect(await exported(other)).toBe(
    `{"$table":"Tab"}\n${row('differs', differing)}${row('new', '"A":1')}${row('other', '"A":1')}${row('same', '"A":1')}`,
  );
  const keys = report.rejected.map(({ rowKey, code }) => [rowKey, code]);
  expect(keys).toEqual(mode === 'insert' ? [['differs', 'EntityAlreadyExists']] : []);
});

it('A Double that equals an integer is another value', async () => {
  await using servers = await startTwo('{"$table":"Tab"}\n{"PartitionKey":"p","RowKey":"r","A":1.0}\n');
  const { one, other } = servers;
  await other.import(bytesOf('{"$table":"Tab"}\n{"PartitionKey":"p","RowKey":"r","A":1}\n'));
  const report = await copyBetween(one.connectionString, other.connectionString);
  expect(report).toMatchObject({ rejectedRows: 1, rejected: [{ code: 'EntityAlreadyExists' }] });
});

it('Only the tables, entities and properties that are asked for are copied, under new names', async () => {
  await using servers = await startTwo(manyRows(30, 10) + manyRows(5, 5, 'Other'));
  const { one, other } = servers;
  const [from, to] = [one.connectionString, other.connectionString];
  const wish = {
    tables: ['man*'],
    filter: 'Age lt 25',
    select: ['Age'],
    limit: 22,
    rename: new Map([['Many', 'Few']]),
  };
  const report = await copyBetween(from, to, wish);
  expect(report.tables).toMatchObject([{ table: 'Many', written: 22, verified: 'same' }]);
  const lines = (await exported(other)).trim().split('\n');
  expect(lines).toHaveLength(23);
  expect(lines.slice(0, 2)).toEqual(['{"$table":"Few"}', '{"PartitionKey":"p00000","RowKey":"00000000","Age":0}']);
  await expect(copyBetween(from, to, { tables: ['Missing'] })).rejects.toThrow('There is no table Missing.');
  await expect(copyBetween(from, to, { rename: new Map([['Many', 'Other']]) })).rejects.toThrow(
    'Two tables would become Other.',
  );
  await expect(copyBetween(from, from)).rejects.toThrow('Both ends are the same.');
});

it('A signature of one table reads that table, or writes to it', async () => {
  await using servers = await startTwo(manyRows(30) + manyRows(3, 3, 'Other'));
  const { one, other } = servers;
  await other.import(bytesOf('{"$table":"Named"}\n'));
  const signedUrl = async (server: typeof one, table: string, permissions: string) => {
    const words = ['sas', '--table', table, '--permissions', permissions, '--tablePort', String(server.port)];
    return (await runLine(words)).out.trim();
  };
  const from = await signedUrl(one, 'Many', 'r');
  const to = await signedUrl(other, 'Named', 'raud');
  const report = await copyBetween(from, to);
  expect(report.tables).toMatchObject([{ table: 'Many', read: 30, written: 30, verified: 'same' }]);
  expect(report.notes).toEqual(['Stored access policies of 1 tables were not copied: they cannot be read.']);
  expect(report.from + report.to).not.toContain('sig');
  expect(await exported(other)).toBe((await exported(one)).split('{"$table":"Other"}')[0]?.replace('Many', 'Named'));
  await expect(copyBetween(one.connectionString, to)).rejects.toThrow('The target is one table, but the source has 2.');
  await expect(
    copyBetween(one.connectionString, await signedUrl(other, 'None', 'raud'), { tables: ['Other'] }),
  ).rejects.toThrow('None of 127.0.0.1');
});

it('Masked entities are verified as they were written', async () => {
  await using servers = await startTwo(manyRows(500, 10));
  const { one, other } = servers;
  const report = await copyBetween(one.connectionString, other.connectionString, { mask: ['Total', 'PartitionKey'] });
  const [table] = report.tables;
  expect(table?.verified).toBe('same');
  expect(await exported(other)).not.toContain('"PartitionKey":"p00001"');
});

it('A dry run writes nothing, and rejects the entities that a storage account would', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, '{"$table":"Tab"}\n{"PartitionKey":"p","RowKey":"a/b"}\n{"PartitionKey":"p","RowKey":"r"}\n');
  const report = await copyBetween(file, other.connectionString, { dryRun: true });
  expect(report).toMatchObject({ rows: 1, rejectedRows: 1, rejected: [{ rowKey: 'a/b', code: 'OutOfRangeInput' }] });
  expect((await copyBetween(one.connectionString, other.connectionString, { dryRun: true })).rows).toBe(3);
  expect(await exported(other)).toBe('');
  rmSync(folder, { recursive: true });
});

it('An entity that the target rejects leaves the others in its transaction', async () => {
  await using servers = await startTwo('');
  const { other } = servers;
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  const file = join(folder, 'rows.ndjson');
  const rows = Array.from(
    { length: 20 },
    (_, at) => `{"PartitionKey":"p","RowKey":"${at === 7 || at === 12 ? `${at}#` : at}"}`,
  );
  writeFileSync(file, `{"$table":"Tab"}\n${rows.join('\n')}\n`);
  const report = await copyBetween(file, other.connectionString);
  expect(report.tables).toMatchObject([{ read: 20, written: 18, rejected: 2, verified: 'same' }]);
  expect(report.rejected.map(({ rowKey }) => rowKey).sort()).toEqual(['12#', '7#']);
  rmSync(folder, { recursive: true });
});

it('Verification finds the entities that changed or vanished in the target during the copy', async () => {
  await using servers = await startTwo(manyRows(100, 10));
  const { one, other } = servers;
  const change = '{"$table":"Many"}\n{"PartitionKey":"p00000","RowKey":"00000000","Age":77}\n';
  const extra = '{"PartitionKey":"p00000","RowKey":"zzz"}\n';
  let changes: Promise<unknown> | undefined;
  // The first page is verified, and more rows are read for the comparison.
  const add = (what: string) => {
    if (what.includes('verifying'))
      changes ??= Promise.all([
        other.import(bytesOf(change + extra), { mode: 'merge' }),
        other.entities.delete('Many', "RowKey eq '00000011'"),
      ]);
  };
  const wish = { filter: 'Age ge 0' };
  const first = await copyBetween(one.connectionString, other.connectionString, wish, {
    progress: { add, end: () => {} },
  });
  await changes;
  expect(first.tables).toMatchObject([{ written: 100 }]);
  const report = await copyBetween(one.connectionString, other.connectionString, { mode: 'skip' });
  // The entity that was missing is written again, and the one that differs is skipped.
  expect(report.tables).toMatchObject([{ written: 1, same: 98, skipped: 1, verified: 'contained' }]);
});

it('An interrupted copy continues where it was, and neither loses nor repeats an entity', async () => {
  await using servers = await startTwo(manyRows(3000, 250));
  const { one, other } = servers;
  const state = newState();
  for (const rows of [500, 800, 900]) {
    const stop = new AbortController();
    let count = 0;
    const add = (_what: string, more: number) => {
      count += more;
      if (count >= rows) stop.abort(new Error('stopped'));
    };
    const options = { signal: stop.signal, progress: { add, end: () => {} }, sharedRowsMin: 300 };
    await expect(copyBetween(one.connectionString, other.connectionString, { state }, options)).rejects.toThrow(
      'stopped',
    );
    expect(statSync(state).mode & 0o777).toBe(0o600);
  }
  const text = readFileSync(state, 'utf8');
  expect(text).not.toContain('Eby8');
  const report = await copyBetween(one.connectionString, other.connectionString, { state });
  expect(report.continued).toBe(true);
  expect(report.tables).toMatchObject([{ read: 3000, rejected: 0, verified: 'same' }]);
  expect(await exported(other)).toBe(await exported(one));
  expect(() => statSync(state)).toThrow();
});

it('A state is of one copy, and of one process at a time', async () => {
  const path = newState();
  const file = await StateFile.open(path, 'id');
  await expect(StateFile.open(path, 'id')).rejects.toThrow('Another copy uses this state');
  await file.save(true);
  await file.close();
  await expect(StateFile.open(path, 'another')).rejects.toThrow('belongs to another copy');
  // The process of this lock has ended.
  writeFileSync(`${path}.lock`, '999999999');
  const again = await StateFile.open(path, 'id');
  expect(again.continues).toBe(true);
  await again.remove();
  await again.close();
  writeFileSync(path, 'text');
  await expect(StateFile.open(path, 'id')).rejects.toThrow('is not the state of a copy');
  rmSync(path);
});

async function* bytesOf(text: string): AsyncGenerator<string> {
  yield text;
}
