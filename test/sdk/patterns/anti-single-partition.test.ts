/**
 * Anti-pattern: a single partition
 *
 * Problem: All employees have the same PartitionKey. A single server handles all of them, at most 2,000 entities a second,
 * however far the service scales.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `staff` | `000123` | an employee |
 * | `Department 3` | `000123` | instead: an employee in the partition of the department |
 *
 * Instead: Choose a PartitionKey that spreads the load and that most queries contain. Keep entities together that change in one
 * transaction.
 *
 * Source: Table design guide, "Choose an appropriate PartitionKey".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, points } from '../../support/docs/describe-pattern.js';

const ids = Array.from({ length: 1000 }, (_, at) => String(at).padStart(6, '0'));

const fillOne = (staff: TableClient) =>
  insertAll(
    staff,
    ids.map((rowKey) => ({ partitionKey: 'staff', rowKey })),
  );

/** Instead: as many partitions as there are departments. */
const departmentOf = (id: string) => `Department ${Number(id) % 20}`;

const fillMany = (staff: TableClient) =>
  insertAll(
    staff,
    ids.slice(0, 400).map((rowKey) => ({ partitionKey: departmentOf(rowKey), rowKey })),
  );

const find = (staff: TableClient, id: string) => staff.getEntity(departmentOf(id), id);

describeAntiPattern(import.meta.url, ['hot-partition/one-partition info'], async ({ table, step }) => {
  const [one, many] = [await table('OnePartition'), await table('Departments')];
  await step('insert 1,000 into one partition', { transactions: 10 }, () => fillOne(one));
  await step('insert 400 into twenty', { transactions: 20 }, () => fillMany(many));
  const found = await step('find by number and department', points(1), () => find(many, '000123'));
  expect(found.partitionKey).toBe('Department 3');
});
