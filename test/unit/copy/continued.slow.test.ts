import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccountTarget } from '../../../src/copy/account/account-target.js';
import type { SourceTable } from '../../../src/copy/ends/end.js';
import { FileTarget } from '../../../src/copy/files/file-target.js';
import { copyBetween, exported, manyRows, newState, startTwo } from '../../support/copy/copy-between.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (...names: string[]) => join(folder, ...names);

it('A copy that fails in its first page continues with the same masks', async () => {
  await using servers = await startTwo(manyRows(100, 10));
  const { one, other } = servers;
  const wish = { state: newState(), mask: ['PartitionKey', 'RowKey'], transfers: 1 };
  const fault = { kind: 'error', code: 'TableNotFound' } as const;
  await other.faults.create({ when: { operation: 'transaction' }, probability: 0.5, seed: 1, times: 1000, fault });
  await expect(copyBetween(one.connectionString, other.connectionString, wish)).rejects.toThrow('cannot be written');
  expect(await exported(other)).toContain('"RowKey"');
  await other.faults.clear();
  const report = await copyBetween(one.connectionString, other.connectionString, wish);
  expect(report.tables).toMatchObject([{ read: 100, verified: 'same' }]);
});

it.each(['all.ndjson', 'folder/'])(
  'A copy to %s that is killed while it moves its files can continue',
  async (name) => {
    await using servers = await startTwo(manyRows(30) + manyRows(20, 10, 'Next'));
    const { one } = servers;
    const state = newState();
    // The state of the moment before the first file is moved, and files as a kill leaves them.
    let kept = '';
    const complete = vi.spyOn(FileTarget.prototype, 'complete').mockImplementation(async function (this: FileTarget) {
      kept = readFileSync(state, 'utf8');
      // Tables are opened in any order.
      const { tables, ...rest } = JSON.parse(kept) as { readonly tables: object };
      kept = JSON.stringify({ ...rest, tables: Object.fromEntries(Object.entries(tables).sort().reverse()) });
      mkdirSync(inFolder('folder'), { recursive: true });
      if (name === 'folder/') renameSync(inFolder('folder.part', 'Many.ndjson'), inFolder('folder', 'Many.ndjson'));
      else writeFileSync(inFolder('all.ndjson.part', 'whole'), 'half');
      throw new Error('killed');
    });
    await expect(copyBetween(one.connectionString, inFolder(name), { state })).rejects.toThrow('killed');
    complete.mockRestore();
    writeFileSync(state, kept);
    await one.import([manyRows(3, 3, 'Later')]);
    const report = await copyBetween(one.connectionString, inFolder(name), { state });
    expect(report.tables).toMatchObject([
      { read: 30, verified: 'same' },
      { read: 20, verified: 'same' },
    ]);
    const files = name === 'folder/' ? ['folder/Many.ndjson', 'folder/Next.ndjson'] : [name];
    expect(files.map((file) => readFileSync(inFolder(file), 'utf8')).join('')).toBe(
      manyRows(30) + manyRows(20, 10, 'Next'),
    );
    expect(existsSync(inFolder(`${name.replace('/', '')}.part`))).toBe(false);
  },
);

it('A new copy leaves a file that is where it would write its parts, and no state', async () => {
  await using servers = await startTwo(manyRows(3));
  const state = newState();
  mkdirSync(inFolder('a.ndjson.part'));
  for (const name of ['Many.ndjson', 'whole']) {
    writeFileSync(inFolder('a.ndjson.part', name), 'mine');
    await expect(copyBetween(servers.one.connectionString, inFolder('a.ndjson'), { state })).rejects.toThrow(
      `${name} exists. Remove it, or name another target.`,
    );
    expect(readFileSync(inFolder('a.ndjson.part', name), 'utf8')).toBe('mine');
    rmSync(inFolder('a.ndjson.part', name));
  }
  expect(existsSync(state)).toBe(false);
});

it.each([
  ['all.ndjson', FileTarget],
  ['an account', AccountTarget],
] as const)('A copy to %s that is stopped while it opens its first table can continue', async (name, target) => {
  await using servers = await startTwo(manyRows(30));
  const { one, other } = servers;
  const to = name === 'all.ndjson' ? inFolder(name) : other.connectionString;
  const stop = new AbortController();
  const { open } = target.prototype;
  const spy = vi.spyOn(target.prototype, 'open').mockImplementation(async function (
    this: FileTarget & AccountTarget,
    table: SourceTable,
  ) {
    await open.call(this, table);
    stop.abort(new Error('stopped'));
    throw stop.signal.reason;
  });
  const wish = { state: newState() };
  await expect(copyBetween(one.connectionString, to, wish, { signal: stop.signal })).rejects.toThrow('stopped');
  spy.mockRestore();
  // The command says that the same one continues.
  expect(existsSync(wish.state)).toBe(true);
  const report = await copyBetween(one.connectionString, to, wish);
  expect(report).toMatchObject({ continued: true, tables: [{ read: 30, verified: 'same' }] });
  expect(existsSync(inFolder('all.ndjson.part'))).toBe(false);
});

it('A copy that continues has the notes of before the interruption, each once', async () => {
  const policies = '[{"id":"read","expiry":"2030-01-01T00:00:00.0000000Z","permission":"r"}]';
  await using servers = await startTwo(`{"$table":"Held","policies":${policies}}\n${manyRows(3000)}`);
  const { one, other } = servers;
  const fault = { kind: 'error', code: 'AuthorizationFailure' } as const;
  await other.faults.create({ when: { operation: 'settableacl' }, fault, times: 9 });
  const wish = { state: newState(), transfers: 1 };
  const stop = new AbortController();
  const options = { signal: stop.signal, progress: { add: () => stop.abort(new Error('stopped')), end: () => {} } };
  await expect(copyBetween(one.connectionString, other.connectionString, wish, options)).rejects.toThrow('stopped');
  const report = await copyBetween(one.connectionString, other.connectionString, wish);
  expect(report.notes).toEqual(['Stored access policies of Held were not copied: the target does not allow it.']);
});

it('A copy that continues lists the entities that were rejected before the interruption', async () => {
  await using servers = await startTwo('');
  writeFileSync(inFolder('rows.ndjson'), manyRows(3000).replace('\n', '\ntext\n'));
  const [from, to] = [inFolder('rows.ndjson'), servers.other.connectionString];
  const wish = { state: inFolder('state.json') };
  const stop = new AbortController();
  const options = { signal: stop.signal, progress: { add: () => stop.abort(new Error('stopped')), end: () => {} } };
  await expect(copyBetween(from, to, wish, options)).rejects.toThrow('stopped');
  const report = await copyBetween(from, to, wish);
  expect(report).toMatchObject({ continued: true, rejectedRows: 1, rejected: [{ table: 'Many' }] });
  expect(report.rejected).toHaveLength(1);
});

it('A copy that is killed after its first write knows that the table was empty', async () => {
  await using servers = await startTwo(manyRows(30));
  const { one, other } = servers;
  const wish = { state: inFolder('state.json') };
  let kept = '';
  const { write } = AccountTarget.prototype;
  const spy = vi.spyOn(AccountTarget.prototype, 'write').mockImplementation(async function (
    this: AccountTarget,
    ...row: Parameters<typeof write>
  ) {
    await write.apply(this, row);
    kept = readFileSync(wish.state, 'utf8');
    throw new Error('killed');
  });
  await expect(copyBetween(one.connectionString, other.connectionString, wish)).rejects.toThrow('killed');
  spy.mockRestore();
  writeFileSync(wish.state, kept);
  await one.entities.delete('Many', "RowKey eq '00000011'");
  const report = await copyBetween(one.connectionString, other.connectionString, wish);
  expect(report).toMatchObject({
    tables: [{ verified: 'different' }],
    different: [{ kind: 'extra', rowKey: '00000011' }],
  });
});
