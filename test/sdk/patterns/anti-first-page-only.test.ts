/**
 * Anti-pattern: the first page only
 *
 * Problem: A program takes the first response for the whole result. With test data it is. With more than 1,000 entities the rest
 * is missing, and nothing fails.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | one of 1,001 employees |
 *
 * Instead: Request pages until there is no [token](#continuation-tokens). If part of the result is enough, limit it with `$top`.
 *
 * Source: Table design guide, "Retrieve large numbers of entities from a query".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, query } from '../../support/docs/describe-pattern.js';

const list = (staff: TableClient, department: string) =>
  staff.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${department}`, select: ['rowKey'] } });

async function countWrongly(staff: TableClient, department: string) {
  for await (const page of list(staff, department).byPage()) return page.length;
  return 0;
}

/** Instead: all pages. */
const count = async (staff: TableClient, department: string) => (await all(list(staff, department))).length;

describeAntiPattern(import.meta.url, ['ignored-token warn'], async ({ table, step }) => {
  const staff = await table('Staff');
  const employees = (partitionKey: string, length: number) =>
    Array.from({ length }, (_, at) => ({ partitionKey, rowKey: String(at).padStart(6, '0') }));
  await insertAll(staff, [...employees('Sales', 1001), ...employees('Support', 300)]);

  for (let visit = 1; visit < 3; visit++) await countWrongly(staff, 'Sales');
  const first = query('partition-scan', 1000);
  expect(await step('count with the first page', first, () => countWrongly(staff, 'Sales'))).toBe(1000);
  const whole = query('partition-scan', 1001, 1001, 2);
  expect(await step('count with all pages', whole, () => count(staff, 'Sales'))).toBe(1001);
  for (let visit = 1; visit < 3; visit++) await countWrongly(staff, 'Sales');
});
