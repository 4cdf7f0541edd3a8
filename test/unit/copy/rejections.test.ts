import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyBetween, exported, startTwo } from '../../support/copy/copy-between.js';
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

it('Tables whose names differ only in letter case would become one', async () => {
  const row = '{"PartitionKey":"p","RowKey":"r"}';
  writeFileSync(join(folder, 'all.ndjson'), `{"$table":"Orders"}\n${row}\n{"$table":"orders"}\n${row}\n`);
  const [from, to] = [join(folder, 'all.ndjson'), join(folder, 'to/')];
  await expect(copyBetween(from, to)).rejects.toThrow('Two tables would become orders.');
  const report = await copyBetween(from, to, { rename: new Map([['orders', 'Others']]) });
  expect(report.rows).toBe(2);
});

async function signedUrl(port: number, table: string, permissions: string): Promise<string> {
  const words = ['sas', '--table', table, '--permissions', permissions, '--tablePort', String(port)];
  return (await runLine(words)).out.trim();
}
