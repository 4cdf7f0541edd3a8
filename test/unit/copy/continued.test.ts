import { expect, it } from 'vitest';
import { copyBetween, exported, manyRows, newState, startTwo } from '../../support/copy/copy-between.js';

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
