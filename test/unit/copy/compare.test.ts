import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyBetween, exported, manyRows, startTwo } from '../../support/copy/copy-between.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('A table that only one of the compared ends has is a difference, also without entities', async () => {
  await using servers = await startTwo(`${manyRows(3)}{"$table":"Bare"}\n${manyRows(2, 2, 'Gone')}`);
  const { one, other } = servers;
  await other.import([`${manyRows(3).replace('Many', 'many')}{"$table":"Later"}\n`]);
  const wish = { compare: true };
  const report = await copyBetween(one.connectionString, other.connectionString, wish);
  expect(report.tables.map(({ table, read, verified }) => [table, read, verified])).toEqual([
    ['Bare', 0, 'different'],
    ['Gone', 2, 'different'],
    ['Later', 0, 'different'],
    ['Many', 3, 'same'],
  ]);
  expect(report.notes).toEqual([
    'The target has no table Bare.',
    'The target has no table Gone.',
    'Only the target has the table Later.',
  ]);
  expect(report.different.map(({ table, kind }) => [table, kind])).toEqual([
    ['Gone', 'missing'],
    ['Gone', 'missing'],
  ]);
  const chosen = await copyBetween(one.connectionString, other.connectionString, { ...wish, tables: ['m*'] });
  expect(chosen).toMatchObject({ tables: [{ verified: 'same' }], notes: [] });
});

it('Files can be compared with an account', async () => {
  await using servers = await startTwo(manyRows(30) + manyRows(20, 5, 'Other'));
  const { one } = servers;
  await copyBetween(one.connectionString, join(folder, 'files/'));
  for (const [from, to] of [
    [one.connectionString, join(folder, 'files/')],
    [join(folder, 'files/'), one.connectionString],
  ] as const)
    expect(await copyBetween(from, to, { compare: true })).toMatchObject({
      tables: [{ verified: 'same' }, { verified: 'same' }],
      notes: [],
    });
});

it.each([
  [{ limit: 3 }, '--compare reads whole tables. Leave out --limit.'],
  [{ mask: ['Age'] }, 'set the TABULARIUM_MASK_KEY that the copy had'],
  [{ sample: 0.5 }, 'set the TABULARIUM_MASK_KEY that the copy had'],
])('A comparison with %j is rejected, because it can show nothing', async (wish, message) => {
  await using servers = await startTwo(manyRows(30));
  const { one, other } = servers;
  const comparison = copyBetween(one.connectionString, other.connectionString, { compare: true, ...wish });
  await expect(comparison).rejects.toThrow(message);
});

it('A masked sample is compared by the key that the copy had', async () => {
  await using servers = await startTwo(manyRows(300, 10));
  const { one, other } = servers;
  const wish = { mask: ['Total', 'PartitionKey'], sample: 0.5, maskKey: 'my key' };
  await copyBetween(one.connectionString, other.connectionString, wish);
  const report = await copyBetween(one.connectionString, other.connectionString, { ...wish, compare: true });
  expect(report).toMatchObject({ tables: [{ verified: 'same' }], unusedMasks: [], differences: 0 });
});

it('Neither a dry run nor a comparison writes anything, and a source is not created', async () => {
  writeFileSync(join(folder, 'rows.ndjson'), manyRows(3));
  const [file, place] = [join(folder, 'rows.ndjson'), join(folder, 'new', 'tabularium-data')];
  expect(await copyBetween(file, place, { dryRun: true })).toMatchObject({ rows: 3 });
  const missing = `There is no data in ${join(folder, 'new')}.`;
  await expect(copyBetween(file, place, { compare: true })).rejects.toThrow(missing);
  await expect(copyBetween(place, join(folder, 'all.ndjson'))).rejects.toThrow(missing);
  await expect(copyBetween(file, join(folder, 'all.ndjson'), { compare: true })).rejects.toThrow('No such file');
  expect(existsSync(join(folder, 'new'))).toBe(false);
  expect(existsSync(join(folder, 'all.ndjson.part'))).toBe(false);
});

it('A dry run leaves an account as it is', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  await copyBetween(one.connectionString, other.connectionString, { dryRun: true });
  expect(await exported(other)).toBe('');
});

it('One table is compared with that of its name in an account with others', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  await other.import([`${manyRows(3)}${manyRows(2, 2, 'Other')}`]);
  const table = `${one.connectionString.replace(/^.*TableEndpoint=([^;]*);.*$/, '$1')}/Many`;
  const report = await copyBetween(table, other.connectionString, { compare: true });
  expect(report).toMatchObject({ tables: [{ table: 'Many', verified: 'same' }], notes: [] });
});

it('Rows of a compared file that cannot be read are listed, of either end', async () => {
  await using servers = await startTwo(manyRows(3));
  const [file, account] = [join(folder, 'rows.ndjson'), servers.one.connectionString];
  writeFileSync(file, `${manyRows(3)}{"PartitionKey":"p"}\n`);
  for (const [from, to] of [
    [file, account],
    [account, file],
  ] as const)
    expect(await copyBetween(from, to, { compare: true })).toMatchObject({
      tables: [{ table: 'Many', read: 3, rejected: 1, verified: 'same' }],
      rejected: [{ table: 'Many', message: `${file}:5: an entity lacks a key` }],
      rejectedRows: 1,
    });
});
