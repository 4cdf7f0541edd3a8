import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyBetween, startTwo } from '../../support/copy/copy-between.js';

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
