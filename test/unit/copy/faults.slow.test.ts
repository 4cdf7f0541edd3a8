import { TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { Gate } from '../../../src/copy/account/gate.js';
import { backOff, pauseAfter } from '../../../src/copy/account/retry.js';
import type { FaultRule } from '../../../src/faults/contract.js';
import { startTabularium } from '../../../src/index.js';
import { copyBetween, exported, manyRows, startTwo } from '../../support/copy/copy-between.js';

/** Everything that a network and a busy service do to requests, each with the same probability. */
const nasty: readonly FaultRule[] = (
  [
    { id: 'reset-before', fault: { kind: 'connection', cut: 'na' } },
    { id: 'reset-after', fault: { kind: 'connection', cut: 'na', when: 'after' } },
    { id: 'half', fault: { kind: 'connection', cut: 'pa' } },
    { id: 'half-ended', fault: { kind: 'connection', cut: 'pn' } },
    { id: 'applied', fault: { kind: 'error', code: 'OperationTimedOut', applied: true } },
    { id: 'internal', fault: { kind: 'error', code: 'InternalError' } },
    { id: 'busy', fault: { kind: 'error', code: 'ServerBusy', retryAfter: 0 } },
  ] as const
).map((rule, at) => ({
  ...rule,
  when: { operation: ['transaction', 'insert', 'query'] },
  probability: 0.04,
  seed: at + 1,
  times: 100_000,
}));
const pages: readonly FaultRule[] = [
  { id: 'short', probability: 0.3, seed: 8, fault: { kind: 'page', ends: 'rows', rows: 37 }, times: 100_000 },
  { id: 'empty', probability: 0.1, seed: 9, fault: { kind: 'page', ends: 'empty', every: 2 }, times: 100_000 },
];

it.each(['source', 'target'] as const)(
  'A copy is exact while its %s loses requests, answers and halves of them',
  async (end) => {
    await using servers = await startTwo(manyRows(1500, 300));
    const { one, other } = servers;
    await (end === 'source' ? one : other).faults.create([...nasty, ...pages]);
    const report = await copyBetween(one.connectionString, other.connectionString, {}, { sharedRowsMin: 300 });
    await one.faults.clear();
    await other.faults.clear();
    expect(report.tables).toMatchObject([{ read: 1500, rejected: 0, verified: 'same' }]);
    // Entities whose acknowledgment was lost are found there, with the same values.
    if (end === 'target') expect(report.tables[0]?.same).toBeGreaterThan(0);
    expect(await exported(other)).toBe(await exported(one));
  },
);

it('A peer counts and compares every entity of the target', async () => {
  await using servers = await startTwo(manyRows(1200, 50));
  const { one, other } = servers;
  await copyBetween(one.connectionString, other.connectionString);
  const rowsOf = async (connectionString: string) => {
    const rows: unknown[] = [];
    const client = TableClient.fromConnectionString(connectionString, 'Many', { allowInsecureConnection: true });
    for await (const { etag, timestamp, ...row } of client.listEntities({ disableTypeConversion: true }))
      rows.push(row);
    return rows;
  };
  const found = await rowsOf(other.connectionString);
  expect(found).toHaveLength(1200);
  expect(found).toEqual(await rowsOf(one.connectionString));
});

it('A copy to Cosmos DB finds the rate that the account allows, and rejects empty keys as the service does', async () => {
  await using one = await startTabularium();
  await using other = await startTabularium({ cosmos: true });
  await one.import([
    manyRows(400, 50),
    '{"$table":"Empty"}\n{"PartitionKey":"","RowKey":"r"}\n{"PartitionKey":"p","RowKey":"r"}\n',
  ]);
  const target = other.cosmosConnectionString ?? '';
  const busy = { kind: 'error', code: 'TooManyRequests', retryAfter: 0 } as const;
  await other.faults.create({ probability: 0.3, seed: 5, times: 1000, fault: busy });
  const report = await copyBetween(one.connectionString, target, {}, { tries: 4 });
  expect(report.tables).toMatchObject([
    { table: 'Empty', written: 1, rejected: 1, verified: 'same' },
    { table: 'Many', written: 400, rejected: 0, verified: 'same' },
  ]);
  expect(report.rejected).toMatchObject([{ partitionKey: '', code: 'PropertiesNeedValue' }]);
  await other.faults.clear();
  await one.entities.delete('Many', "PartitionKey ne ''");
  const back = await copyBetween(target, one.connectionString, { tables: ['Many'], mode: 'merge' });
  expect(back.tables).toMatchObject([{ written: 400, verified: 'same' }]);
  expect((await copyBetween(one.connectionString, target, { tables: ['Many'], mode: 'merge' })).rows).toBe(400);
});

it('A wrong key or signature ends the copy at once, without a secret in the message', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  const wrong = one.connectionString.replace(/AccountKey=[^;]*/, `AccountKey=${'QUFB'.repeat(20)}`);
  const fault = await copyBetween(wrong, other.connectionString).catch((error: Error) => error.message);
  expect(fault).toContain('403 AuthenticationFailed');
  expect(fault).not.toContain('QUFB');
  const signed = `${one.endpoint()}?sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2030-01-01T00:00:00Z&sig=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U%3D`;
  const other403 = await copyBetween(signed, other.connectionString).catch((error: Error) => error.message);
  expect(other403).toContain('403');
  expect(other403).not.toMatch(/c2Vjcm/);
});

it('Nobody who listens is an error after few tries', async () => {
  const end = 'http://127.0.0.1:9/devstoreaccount1';
  const target = `${end}2?sv=2019-02-02&sig=c2ln`;
  await expect(copyBetween(end, target)).rejects.toThrow('did not answer after 4 tries. The last one: ECONNREFUSED');
});

it('The pause after a try is the one that the service asks for, or grows, but is never longer than half a minute', () => {
  expect(backOff(3, () => 1)).toBe(800);
  expect(backOff(30, () => 1)).toBe(30_000);
  expect(pauseAfter({ headers: { 'x-ms-retry-after-ms': '2000' } }, 0)).toBeGreaterThanOrEqual(2000);
  expect(pauseAfter({ headers: { 'retry-after': '3' } }, 0)).toBeGreaterThanOrEqual(3000);
  expect(pauseAfter({ headers: { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' } }, 9)).toBeLessThanOrEqual(30_800);
  expect(pauseAfter({ headers: { 'retry-after': 'soon' } }, 0)).toBeLessThanOrEqual(100);
});

it('A busy service halves the requests in flight once in half a second, and ten answers allow one more', async () => {
  const gate = new Gate(8);
  gate.slower(1000);
  gate.slower(1400);
  expect(gate.limit).toBe(4);
  gate.slower(1600);
  expect(gate.limit).toBe(2);
  for (let at = 0; at < 11; at++) gate.faster();
  expect(gate.limit).toBe(3);
  let [inFlight, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++inFlight);
    await Promise.resolve();
    inFlight--;
  };
  await Promise.all(Array.from({ length: 10 }, () => gate.run(work)));
  expect(most).toBe(3);
});

it('A table can have the name of a property of every object', async () => {
  await using servers = await startTwo(manyRows(3, 3, 'constructor'));
  const report = await copyBetween(servers.one.connectionString, servers.other.connectionString);
  expect(report.tables).toMatchObject([{ table: 'constructor', read: 3, verified: 'same' }]);
});
