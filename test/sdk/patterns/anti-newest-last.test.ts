/**
 * Anti-pattern: the newest last
 *
 * Problem: Expenses sort by time, oldest first, and a page shows the ten most recent. A query cannot start at the end of a
 * partition, so the program reads all of it, which takes longer every day.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `000123` | `2026-11-02T15:04:20` | one of 1,001 expenses of an employee |
 *
 * Instead: Invert the time, as in [log tail](#log-tail). The ten newest are then the first ten.
 *
 * Source: Table design guide, "Log tail pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, query } from '../../support/docs/describe-pattern.js';

async function readNewestSlowly(expenses: TableClient, employee: string, count: number) {
  const whole = await all(expenses.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${employee}` } }));
  return whole.slice(-count).reverse();
}

describeAntiPattern(import.meta.url, ['partition-scan/newest-last info'], async ({ table, step }) => {
  const expenses = await table('EmployeeExpense');
  const claims = (employee: string, count: number) =>
    Array.from({ length: count }, (_, hour) => ({
      partitionKey: employee,
      rowKey: new Date(Date.UTC(2026, 0, 1, hour)).toISOString().slice(0, 19),
    }));
  await insertAll(expenses, [...claims('000123', 1001), ...claims('000124', 300)]);

  for (let visit = 1; visit < 3; visit++) await readNewestSlowly(expenses, '000123', 10);
  const cost = query('partition-scan', 1001, 1001, 2);
  const newest = await step('read the newest ten of 1,001', cost, () => readNewestSlowly(expenses, '000123', 10));
  expect(newest.map(({ rowKey }) => rowKey).at(0)).toBe('2026-02-11T16:00:00');
});
