import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { AccountTarget } from '../../../src/copy/account/account-target.js';
import { copyBetween, manyRows, startTwo } from '../../support/copy/copy-between.js';

const short = Array.from({ length: 60 }, (_, at) => `{"PartitionKey":"p","RowKey":"${at}","N":1}\n`).join('');

it.each(['replace', 'merge', 'skip'] as const)(
  'Masked keys that collide are differences in the mode %s',
  async (mode) => {
    await using servers = await startTwo(`{"$table":"Short"}\n${short}`);
    const wish = { mask: ['RowKey'], maskKey: 'key', mode, transfers: 1 };
    const report = await copyBetween(servers.one.connectionString, servers.other.connectionString, wish);
    expect(report.tables).toMatchObject([{ read: 60, verified: 'different' }]);
    expect(report.differences).toBeGreaterThan(0);
    expect(report.notes.join()).toMatch(/Short: the masks have made the keys of \d+ entities equal to those of others/);
  },
);

it('An entity that a file has twice has one masked key, which collides with none', async () => {
  await using servers = await startTwo('');
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  writeFileSync(join(folder, 'rows.ndjson'), manyRows(50) + manyRows(20).replace(/^.*\n/, ''));
  const wish = { mask: ['PartitionKey'], maskKey: 'key', mode: 'replace' } as const;
  const report = await copyBetween(join(folder, 'rows.ndjson'), servers.other.connectionString, wish);
  expect(report).toMatchObject({ tables: [{ read: 70, verified: 'same' }], differences: 0, notes: [] });
  rmSync(folder, { recursive: true });
});

it.each([
  ['rows that cannot be read', 'insert', '{"PartitionKey":"p"\ntext\n'],
  ['skipped entities', 'skip', '{"PartitionKey":"p00000","RowKey":"00000001","Age":7}\n'],
] as const)('An entity that vanished from the target is not hidden by %s', async (_what, mode, lines) => {
  await using servers = await startTwo('');
  const { other } = servers;
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  writeFileSync(join(folder, 'rows.ndjson'), manyRows(50) + lines);
  const existing = '{"$table":"Many"}\n{"PartitionKey":"p00000","RowKey":"00000001","Age":9}\n';
  if (mode === 'skip') await other.import([existing]);
  // The table is written, and not verified yet.
  const reader = vi.spyOn(AccountTarget.prototype, 'reader').mockImplementation(async function (this: AccountTarget) {
    await other.entities.delete('Many', "RowKey eq '00000011'");
    return this;
  });
  const report = await copyBetween(join(folder, 'rows.ndjson'), other.connectionString, { mode });
  reader.mockRestore();
  expect(report.tables).toMatchObject([{ verified: 'different' }]);
  rmSync(folder, { recursive: true });
});
