/**
 * Anti-pattern: the RowKey alone
 *
 * Problem: A link contains the number of an employee but not the department. A RowKey without its PartitionKey helps no more
 * than any other property: the service reads the whole table.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee |
 *
 * Instead: Put both keys into the link. If that is impossible, keep an [index in other
 * partitions](#inter-partition-secondary-index).
 *
 * Source: Table design guide, "How your choice of PartitionKey and RowKey affects query performance".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, points, query } from '../../support/docs/describe-pattern.js';

const openLink = (staff: TableClient, id: string) =>
  all(staff.listEntities({ queryOptions: { filter: odata`RowKey eq ${id}` } }));

/** Instead: the link has both keys. */
const openWholeLink = (staff: TableClient, department: string, id: string) => staff.getEntity(department, id);

describeAntiPattern(import.meta.url, ['table-scan/rowkey-only warn'], async ({ table, step }) => {
  const staff = await table('Staff');
  const departments = ['Marketing', 'Sales', 'Support'];
  await Promise.all(
    departments.map((partitionKey, at) => staff.createEntity({ partitionKey, rowKey: String(at).padStart(6, '0') })),
  );

  const [found] = await step('open a link by number', query('table-scan', 3, 1), () => openLink(staff, '000001'));
  const same = await step('open a link by both keys', points(1), () => openWholeLink(staff, 'Sales', '000001'));
  expect(found).toMatchObject({ partitionKey: 'Sales', rowKey: '000001', etag: same.etag });
});
