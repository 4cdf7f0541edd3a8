import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccountTarget } from '../../../src/copy/account/account-target.js';
import { Progress } from '../../../src/copy/progress.js';
import { startTabularium } from '../../../src/index.js';
import { exported, manyRows, startTwo } from '../../support/copy/copy-between.js';
import { runLine } from '../../support/programs/run-line.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command with a state in the folder. Leaves out the progress, which depends on the time. */
async function copy(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { errors, ...ran } = await runLine(['copy', ...words, '--state', join(folder, 'state.json')], environment);
  return { ...ran, errors: errors.replace(/^.* a second.*\n/gm, '') };
}

it('copies between variables and the running server, and prints a line for each table', async () => {
  await using servers = await startTwo(manyRows(5) + manyRows(2, 2, 'Other'));
  const environment = { SOURCE: servers.one.connectionString, TABULARIUM_URL: servers.other.url };
  const { code, out, errors } = await copy(['$SOURCE'], environment);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toMatch(
    /^Many: 5 read, 5 written, verified\nOther: 2 read, 2 written, verified\n7 entities in 2 tables, [\d.]+ s\n$/,
  );
  expect(await exported(servers.other)).toBe(await exported(servers.one));
  expect(existsSync(join(folder, 'state.json'))).toBe(false);
  const again = await copy(['-', '$SOURCE', '--mode', 'replace', '--noVerify', '--json'], environment);
  expect(JSON.parse(again.out)).toMatchObject({
    rows: 7,
    rejectedRows: 0,
    tables: [{ table: 'Many', verified: 'no' }, {}],
  });
});

it('copies the running server as of one moment, and leaves no branch', async () => {
  await using servers = await startTwo(manyRows(2500));
  const { one, other } = servers;
  const { add } = Progress.prototype;
  let change: Promise<unknown> | undefined;
  // Entities that come during the copy are not in it.
  const spy = vi.spyOn(Progress.prototype, 'add').mockImplementation(function (this: Progress, ...words) {
    change ??= one.import([manyRows(2600)], { mode: 'replace' });
    return add.apply(this, words);
  });
  const environment = { TABULARIUM_URL: one.url, OTHER: other.connectionString };
  const { code, out, errors } = await copy(['-', '$OTHER', '--transfers', '1'], environment);
  spy.mockRestore();
  await change;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toContain('Many: 2500 read, 2500 written, verified\n');
  expect(await one.branches.list()).toEqual([]);
});

it('exits with 1 if entities differ, and compares without writing', async () => {
  await using servers = await startTwo(manyRows(25));
  const environment = { ONE: servers.one.connectionString, OTHER: servers.other.connectionString };
  const missing = await copy(['$ONE', '$OTHER', '--compare'], environment);
  expect(missing.code).toBe(1);
  expect(missing.out).toContain("Many ('p00000', '00000000'): missing\n");
  expect(missing.out).toContain('… 25 differences in all; --json lists up to 1000\n');
  expect(await exported(servers.other)).toBe('');
  await copy(['$ONE', '$OTHER'], environment);
  await servers.other.import(['{"$table":"Many"}\n{"PartitionKey":"p00000","RowKey":"00000003","Age":7}\n'], {
    mode: 'replace',
  });
  const rejected = await copy(['$ONE', '$OTHER'], environment);
  expect(rejected.code).toBe(1);
  expect(rejected.out).toContain(
    "Many ('p00000', '00000003'): EntityAlreadyExists: An entity with other values exists.\n",
  );
  const different = await copy(['$ONE', '$OTHER', '--compare'], environment);
  expect(different.out).toContain("Many: 25 read, 0 written, DIFFERENT\nMany ('p00000', '00000003'): different\n");
});

it('exits with 1 and a note if a mask matched no entity', async () => {
  await using servers = await startTwo(manyRows(5));
  const environment = { ONE: servers.one.connectionString, OTHER: servers.other.connectionString };
  const { code, out } = await copy(['$ONE', '$OTHER', '--mask', 'Age,Totl'], environment);
  expect(code).toBe(1);
  expect(out).toContain('verified\n--mask Totl matched no entity. Nothing is masked by it.\n');
});

it.each([
  [['$NONE'], 'The variable NONE is not set.'],
  [['a.txt', 'b.ndjson'], 'a.txt'],
  [['none.ndjson', 'b.ndjson'], 'No such file or folder: none.ndjson.'],
  [['AccountName=a', 'b.ndjson'], 'The connection string has neither a key nor a signature.'],
  [['https://a.table.core.windows.net', 'b.ndjson', '--mode', 'none'], "--mode cannot be 'none'."],
  [['https://a.table.core.windows.net', 'b.ndjson', '--sample', '0,5'], "--sample cannot be '0,5'."],
  [['https://a.table.core.windows.net', 'b.ndjson', '--sample', '0.0%'], "--sample cannot be '0.0'."],
  [['https://a.table.core.windows.net', 'b.ndjson', '--transfers', '0'], "--transfers cannot be '0'."],
  [['https://a.table.core.windows.net', 'b.ndjson', '--rename', 'a'], '--rename needs two names, as in Old=New.'],
  [['https://a.table.core.windows.net', 'b.ndjson', '--omit', 'RowKey'], '--omit cannot leave out the key RowKey.'],
])('rejects %j with exit code 2', async (words, message) => {
  const { code, errors } = await copy(words);
  expect(code).toBe(2);
  expect(errors).toContain(message);
});

it('says that a token is missing, and how to get one', async () => {
  const { code, errors } = await copy(['https://a.table.core.windows.net', join(folder, 'b.ndjson')], { PATH: '' });
  expect(code).toBe(2);
  expect(errors).toContain('There is no token for https://storage.azure.com. Run az login, set TABULARIUM_COPY_TOKEN');
});

it('gives no secret away: not in the output, in the state, or in an error', async () => {
  await using servers = await startTwo(manyRows(50));
  await servers.other.faults.create({
    when: { operation: 'transaction' },
    fault: { kind: 'error', code: 'AuthorizationFailure' },
    times: 9,
  });
  const key = /AccountKey=([^;]*)/.exec(servers.one.connectionString)?.[1] ?? '';
  expect(key).toHaveLength(88);
  const wrong = 'c2VjcmV0'.repeat(11);
  const environment = {
    ONE: servers.one.connectionString,
    OTHER: servers.other.connectionString,
    WRONG: servers.other.connectionString.replace(key, wrong),
  };
  const runs = [await copy(['$ONE', '$OTHER'], environment), await copy(['$ONE', '$WRONG'], environment)];
  expect(runs.map(({ code }) => code)).toEqual([2, 2]);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  for (const text of [...files, ...runs.flatMap(({ out, errors }) => [out, errors])]) {
    expect(text).not.toContain(key);
    expect(text).not.toContain(wrong);
  }
});

it('trusts only known certificates', async () => {
  await using server = await startTabularium({ https: true, oauth: true });
  await server.import([manyRows(3)]);
  const url = `${server.url}/devstoreaccount2`;
  const { errors } = await copy([url, join(folder, 'b.ndjson')], { TABULARIUM_COPY_TOKEN: 'none' });
  expect(errors).toMatch(/The certificate of .* is not trusted: .* set NODE_EXTRA_CA_CERTS to its certificate\./);
});

it('says that the same command continues if it is interrupted once it has written', async () => {
  await using servers = await startTwo(manyRows(20));
  const environment = { ONE: servers.one.connectionString, OTHER: servers.other.connectionString };
  const { open } = AccountTarget.prototype;
  const spy = vi.spyOn(AccountTarget.prototype, 'open').mockImplementation(async function (this: AccountTarget, table) {
    await open.call(this, table);
    process.emit('SIGTERM', 'SIGTERM');
    return { wasEmpty: true };
  });
  const first = await copy(['$ONE', '$OTHER'], environment);
  spy.mockRestore();
  expect(first).toEqual({
    code: 143,
    out: '',
    errors: `The copy was interrupted. Run the same command again to continue (${join(folder, 'state.json')}).\n`,
  });
  expect((await copy(['$ONE', '$OTHER'], environment)).code).toBe(0);
});

it('continues with the same command after a failure', async () => {
  await using servers = await startTwo('');
  writeFileSync(join(folder, 'rows.ndjson'), manyRows(3000));
  const environment = { OTHER: servers.other.connectionString };
  const words = [join(folder, 'rows.ndjson'), '$OTHER', '--transfers', '1'];
  await servers.other.faults.create({
    when: { operation: 'transaction' },
    after: 12,
    fault: { kind: 'error', code: 'AuthorizationFailure' },
    times: 9,
  });
  const first = await copy(words, environment);
  expect(first.code).toBe(2);
  expect(first.errors).toContain('Run the same command again to continue');
  await servers.other.faults.clear();
  const second = await copy([...words, '--json'], environment);
  expect(JSON.parse(second.out)).toMatchObject({
    continued: true,
    rows: 3000,
    tables: [{ read: 3000, verified: 'same' }],
  });
});
