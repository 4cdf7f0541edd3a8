/**
 * Log tail
 *
 * Problem: A page shows an employee's ten most recent expenses. A query can return the first entities of a partition, but not
 * the last ones, so the newest has to sort first.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `000123` | `2516543999999999999` | an expense: the ticks from its time to the end of time, in 19 digits |
 *
 * When not: Two expenses can have the same tick: add a number to the key. Or most readers want the oldest first.
 *
 * In the guide: The address `EmployeeExpense(PartitionKey='empid')?$top=10` has one key, but entity addresses have two. Use a
 * filter by PartitionKey instead.
 *
 * Source: Table design guide, "Log tail pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, query, writes } from '../../support/docs/describe-pattern.js';

/** Ticks are 100 ns since the year 1; `lastTick` ends the year 9999. Numbers of JavaScript are not exact enough for them. */
const ticksAtEpoch = 621_355_968_000_000_000n;
const lastTick = 3_155_378_975_999_999_999n;

const invert = (time: Date) =>
  (lastTick - (ticksAtEpoch + BigInt(time.getTime()) * 10_000n)).toString().padStart(19, '0');

const timeOf = (inverted: string) => new Date(Number((lastTick - BigInt(inverted) - ticksAtEpoch) / 10_000n));

const claim = (expenses: TableClient, employee: string, time: Date, amount: number) =>
  expenses.createEntity({ partitionKey: employee, rowKey: invert(time), amount });

/** The first page of the partition has the newest entities. Nothing after them is read. */
async function readNewest(expenses: TableClient, employee: string, count: number) {
  const pages = expenses
    .listEntities<{ amount: number }>({ queryOptions: { filter: odata`PartitionKey eq ${employee}` } })
    .byPage({ maxPageSize: count });
  for await (const newest of pages) return newest;
  return [];
}

describePattern(import.meta.url, async ({ table, step }) => {
  const expenses = await table('EmployeeExpense');
  const begin = Date.UTC(2026, 0, 1);
  const days = Array.from({ length: 200 }, (_, day) => new Date(begin + day * 86_400_000));
  await insertAll(
    expenses,
    days.map((day, amount) => ({ partitionKey: '000123', rowKey: invert(day), amount })),
  );
  const today = new Date(begin + 200 * 86_400_000);
  await step('claim an expense', writes(1), () => claim(expenses, '000123', today, 200));

  const newest = await step('read the newest ten of 201', query('partition-scan', 10), () =>
    readNewest(expenses, '000123', 10),
  );
  expect(newest.map(({ amount }) => amount)).toEqual([200, 199, 198, 197, 196, 195, 194, 193, 192, 191]);
  expect(timeOf(newest[0]?.rowKey ?? '')).toEqual(today);
  expect(timeOf(invert(new Date(0)))).toEqual(new Date(0));
});
