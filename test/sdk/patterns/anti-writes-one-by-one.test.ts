/**
 * Anti-pattern: writes one by one
 *
 * Problem: Thirty employees of a department are imported, and the program inserts them one by one. Each insert is its own
 * transaction, and an interrupted import leaves half a department.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee |
 *
 * Instead: Write up to 100 entities of a partition in one transaction. It costs as much as one insert.
 *
 * Source: Table design guide, "Entity group transactions".
 */
import type { TableClient, TableEntity, TransactionAction } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, writes } from '../../support/docs/describe-pattern.js';

async function importSlowly(staff: TableClient, employees: readonly TableEntity[]) {
  for (const employee of employees) await staff.createEntity(employee);
}

/** Instead: all or none, with one request. */
const importAll = (staff: TableClient, employees: readonly TableEntity[]) =>
  staff.submitTransaction(employees.map((employee): TransactionAction => ['create', employee]));

describeAntiPattern(
  import.meta.url,
  ['single-writes/writes info', 'table-scan/unfiltered info'],
  async ({ table, step }) => {
    const staff = await table('Staff');
    const employees = (partitionKey: string) =>
      Array.from({ length: 30 }, (_, at) => ({ partitionKey, rowKey: String(at).padStart(6, '0') }));
    await step('import thirty, one by one', writes(30), () => importSlowly(staff, employees('Sales')));
    await step('import thirty in a transaction', writes(1), () => importAll(staff, employees('Support')));
    expect(await all(staff.listEntities())).toHaveLength(60);
  },
);
