/**
 * Anti-pattern: reads one by one
 *
 * Problem: A page shows twelve employees, and the program reads them one by one. Each read waits for the previous one, and each
 * is a transaction.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000100` to `000111` | the employees of a page |
 *
 * Instead: If the keys are adjacent, read them as one range. Otherwise, read them in parallel, as in [index
 * entities](#index-entities).
 *
 * Source: Table design guide, "Design for querying".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, points, query } from '../../support/docs/describe-pattern.js';

async function showSlowly(staff: TableClient, ids: readonly string[]) {
  const shown = [];
  for (const id of ids) shown.push(await staff.getEntity('Sales', id));
  return shown;
}

/** Instead: one range of adjacent keys. */
const show = (staff: TableClient, first: string, last: string) =>
  all(
    staff.listEntities({
      queryOptions: { filter: odata`PartitionKey eq 'Sales' and RowKey ge ${first} and RowKey le ${last}` },
    }),
  );

describeAntiPattern(import.meta.url, ['n+1/sequence info'], async ({ table, step }) => {
  const staff = await table('Staff');
  const ids = Array.from({ length: 12 }, (_, at) => String(at + 100).padStart(6, '0'));
  await insertAll(
    staff,
    ids.map((rowKey) => ({ partitionKey: 'Sales', rowKey })),
  );

  const slowly = await step('show twelve, one by one', points(12), () => showSlowly(staff, ids));
  const atOnce = await step('show twelve as a range', query('row-range', 12), () => show(staff, '000100', '000111'));
  expect(atOnce.map(({ rowKey }) => rowKey)).toEqual(slowly.map(({ rowKey }) => rowKey));
});
