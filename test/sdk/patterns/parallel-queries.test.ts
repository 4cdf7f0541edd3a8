/**
 * Queries in parallel
 *
 * Problem: A report needs the employees of eight departments. A single query over all of them reads everything in between, and
 * sequential queries take eight round trips.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Department 3` | `000123` | an employee of one of twenty departments |
 *
 * When not: The keys are not known. Or there are thousands: send a limited number at a time.
 *
 * Source: Table design guide, "Retrieve large numbers of entities from a query".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, query } from '../../support/docs/describe-pattern.js';

/** Each department is a query of its own. The service answers them from several servers at once. */
async function listStaff(staff: TableClient, departments: readonly string[]) {
  const lists = departments.map((department) =>
    all(staff.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${department}` } })),
  );
  return (await Promise.all(lists)).flat();
}

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const entities = Array.from({ length: 200 }, (_, at) => ({
    partitionKey: `Department ${at % 20}`,
    rowKey: String(at).padStart(6, '0'),
  }));
  await insertAll(staff, entities);

  const wanted = [1, 3, 4, 7, 9, 12, 15, 18].map((number) => `Department ${number}`);
  const cost = query('partition-scan', 80, 80, 8);
  const found = await step('list eight departments of twenty', cost, () => listStaff(staff, wanted));
  expect([...new Set(found.map(({ partitionKey }) => partitionKey))]).toEqual(wanted);
});
