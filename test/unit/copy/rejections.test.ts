import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyBetween, exported, manyRows, startTwo } from '../../support/copy/copy-between.js';
import { runLine } from '../../support/programs/run-line.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('Keys with half of a surrogate pair are found again by a second copy', async () => {
  const keys = [
    ['\\ud800', 'r'],
    ['\\ud800', 's'],
    ['\\ud800\\ue000', 'r'],
    ['other', 'r'],
  ];
  const rows = keys.map(([p, r], at) => `{"PartitionKey":"${p}","RowKey":"${r}","N":${at}}`);
  await using servers = await startTwo('');
  const { other } = servers;
  writeFileSync(join(folder, 'rows.ndjson'), `{"$table":"Tab"}\n${rows.join('\n')}\n`);
  const first = await copyBetween(join(folder, 'rows.ndjson'), other.connectionString);
  expect(first.tables).toMatchObject([{ written: 4, verified: 'same' }]);
  const again = await copyBetween(join(folder, 'rows.ndjson'), other.connectionString);
  expect(again.tables).toMatchObject([{ written: 0, same: 4, rejected: 0, verified: 'same' }]);
});

it('A signature cannot write policies, so a note says that they are not copied', async () => {
  const policies = '[{"id":"read","expiry":"2030-01-01T00:00:00.0000000Z","permission":"r"}]';
  const row = '{"PartitionKey":"p","RowKey":"r"}\n';
  await using servers = await startTwo(`{"$table":"Held","policies":${policies}}\n${row}`);
  const { one, other } = servers;
  await other.import(['{"$table":"Held"}\n']);
  const report = await copyBetween(one.connectionString, await signedUrl(other.port, 'Held', 'raud'));
  expect(report.tables).toMatchObject([{ written: 1, verified: 'same' }]);
  expect(report.notes).toEqual(['Stored access policies of Held were not copied: the target does not allow it.']);
  expect(await exported(other)).toBe(`{"$table":"Held"}\n${row}`);
});

it('A table that the source lacks is an error, and the target does not get it', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  const copied = copyBetween(await signedUrl(one.port, 'None', 'r'), other.connectionString);
  await expect(copied).rejects.toThrow('None of 127.0.0.1');
  expect(await exported(other)).toBe('');
});

it.each(['{}', '[]', '{"value":[{}]}', 'null'])('A host that answers %s is not a Table service', async (text) => {
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const end = `AccountName=a;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:${port}/a`;
  await expect(copyBetween(end, join(folder, 'all.ndjson'))).rejects.toThrow(
    `127.0.0.1:${port}/a is not a Table service.`,
  );
  await new Promise((resolve) => server.close(resolve));
});

it('Tables whose names differ only in letter case would become one', async () => {
  const row = '{"PartitionKey":"p","RowKey":"r"}';
  writeFileSync(join(folder, 'all.ndjson'), `{"$table":"Orders"}\n${row}\n{"$table":"orders"}\n${row}\n`);
  const [from, to] = [join(folder, 'all.ndjson'), join(folder, 'to/')];
  await expect(copyBetween(from, to)).rejects.toThrow('Two tables would become orders.');
  const report = await copyBetween(from, to, { rename: new Map([['orders', 'Others']]) });
  expect(report.rows).toBe(2);
});

it('A limited copy into a table with entities says why it is not verified', async () => {
  await using servers = await startTwo(manyRows(30));
  const { one, other } = servers;
  await other.import([manyRows(3).replaceAll('"p0', '"q0')]);
  const report = await copyBetween(one.connectionString, other.connectionString, { limit: 10 });
  expect(report.tables).toMatchObject([{ written: 10, verified: 'no' }]);
  expect(report.notes).toEqual([
    'Many is not verified: with --limit, the entities that were there before cannot be told apart.',
  ]);
});

it('Integers of a file above 32 bits are the same as what the target makes of them', async () => {
  await using servers = await startTwo('');
  const numbers = ['2147483647', '2147483648', '-2147483648', '-2147483649', '9223372036854775807'];
  const rows = numbers.map((number, at) => `{"PartitionKey":"p","RowKey":"${at}","N":${number}}`);
  writeFileSync(join(folder, 'rows.ndjson'), `{"$table":"Tab"}\n${rows.join('\n')}\n`);
  const report = await copyBetween(join(folder, 'rows.ndjson'), servers.other.connectionString);
  expect(report).toMatchObject({ tables: [{ written: 5, verified: 'same' }], differences: 0 });
});

async function signedUrl(port: number, table: string, permissions: string): Promise<string> {
  const words = ['sas', '--table', table, '--permissions', permissions, '--tablePort', String(port)];
  return (await runLine(words)).out.trim();
}
