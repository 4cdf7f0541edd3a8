import { TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import { copyBetween, exported, manyRows, startTwo } from '../../support/copy/copy-between.js';

it('A table is read in several ranges, each entity once, also while its partitions are few or many', async () => {
  for (const [rows, perPartition] of [
    [2800, 1],
    [6000, 100],
    [6000, 6000],
  ] as const) {
    await using servers = await startTwo(manyRows(rows, perPartition));
    const { one, other } = servers;
    // Short pages and few rows in flight, so that the first reader is not far ahead.
    await one.faults.create({ fault: { kind: 'page', ends: 'rows', rows: 100 }, times: 100_000 });
    const wish = { transfers: 4 };
    const report = await copyBetween(one.connectionString, other.connectionString, wish, { sharedRowsMin: 500 });
    expect(report.tables).toMatchObject([{ read: rows, written: rows, same: 0, verified: 'same' }]);
    // A request for each entity takes so long that the second reader always finds something to share.
    if (perPartition === 1) expect(report.tables[0]?.ranges).toBeGreaterThan(1);
    expect(await exported(other)).toBe(await exported(one));
  }
});

it('A table that is being deleted is waited for, and a table that vanishes ends the copy', async () => {
  await using one = await startTabularium();
  await one.import([manyRows(300)]);
  await using other = await startTabularium({ deleteTableMs: 100 });
  const client = TableClient.fromConnectionString(other.connectionString, 'Many', { allowInsecureConnection: true });
  await client.createTable();
  await client.deleteTable();
  expect((await copyBetween(one.connectionString, other.connectionString)).rows).toBe(300);
  await other.faults.create({
    when: { operation: 'transaction' },
    fault: { kind: 'error', code: 'TableNotFound' },
    times: 100,
  });
  await expect(copyBetween(one.connectionString, other.connectionString)).rejects.toThrow(
    'Many cannot be written in 127.0.0.1',
  );
});
