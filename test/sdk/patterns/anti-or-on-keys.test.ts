/**
 * Anti-pattern: keys joined by or
 *
 * Problem: A single query reads two employees by joining their keys with `or`. Azure scans the whole partition for it. This
 * server reads just two entities, so only the class shows the problem.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000121` | an employee |
 *
 * Instead: Read each key separately, in parallel.
 *
 * Source: Table design guide, "How your choice of PartitionKey and RowKey affects query performance".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, points, query } from '../../support/docs/describe-pattern.js';

const findScanning = (staff: TableClient, one: string, other: string) =>
  all(
    staff.listEntities({
      queryOptions: { filter: odata`PartitionKey eq 'Sales' and (RowKey eq ${one} or RowKey eq ${other})` },
    }),
  );

/** Instead: a read for each key, in parallel. */
const find = (staff: TableClient, ...ids: readonly string[]) =>
  Promise.all(ids.map((id) => staff.getEntity('Sales', id)));

describeAntiPattern(import.meta.url, ['partition-scan/or-keys warn'], async ({ table, step }) => {
  const staff = await table('Staff');
  for (const rowKey of ['000121', '000200', '000322']) await staff.createEntity({ partitionKey: 'Sales', rowKey });

  const scan = query('partition-scan', 2);
  const scanned = await step('find two by or', scan, () => findScanning(staff, '000121', '000322'));
  const found = await step('find two in parallel', points(2), () => find(staff, '000121', '000322'));
  for (const ids of [scanned, found]) expect(ids.map(({ rowKey }) => rowKey)).toEqual(['000121', '000322']);
});
