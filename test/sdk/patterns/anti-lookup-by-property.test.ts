/**
 * Anti-pattern: lookup by a property
 *
 * Problem: Employees are looked up by last name, which is not in a key. The service has no other index, so it reads every entity
 * of the partition, or of the whole table if the query does not name the partition.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | one of 300 employees; one is called Jones |
 *
 * Instead: Keep [index entities](#index-entities). A one-off query, such as for a repair, may scan.
 *
 * Source: Table design guide, "How your choice of PartitionKey and RowKey affects query performance".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, query } from '../../support/docs/describe-pattern.js';

const findInDepartment = (staff: TableClient, department: string, name: string) =>
  all(staff.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${department} and name eq ${name}` } }));

const findAnywhere = (staff: TableClient, name: string) =>
  all(staff.listEntities({ queryOptions: { filter: odata`name eq ${name}` } }));

describeAntiPattern(
  import.meta.url,
  ['table-scan/properties-only info', 'partition-scan/properties-only serious'],
  async ({ table, step }) => {
    const staff = await table('Staff');
    const employees = ['Marketing', 'Sales', 'Support'].flatMap((partitionKey) =>
      Array.from({ length: 100 }, (_, at) => ({
        partitionKey,
        rowKey: String(at).padStart(6, '0'),
        name: at === 42 ? 'Jones' : 'Smith',
      })),
    );
    await insertAll(staff, employees);

    const partition = query('partition-scan', 100, 1);
    expect(await step('find in a department', partition, () => findInDepartment(staff, 'Sales', 'Jones'))).toHaveLength(
      1,
    );
    for (const department of ['Marketing', 'Support']) await findInDepartment(staff, department, 'Jones');
    expect(await step('find anywhere', query('table-scan', 300, 3), () => findAnywhere(staff, 'Jones'))).toHaveLength(
      3,
    );
  },
);
