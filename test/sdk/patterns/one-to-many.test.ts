/**
 * One to many
 *
 * Problem: A department has many employees. They can be in its partition or in their own table, or each can contain a copy of
 * the department; what is cheap in one design is expensive in another.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `Company` | `Sales` | `Department`, `Employee_000010` | both types in one partition |
 * | `Departments`, `Staff` | `Sales` | `Sales`; `000010` | each type in its table |
 * | `Copies` | `Sales` | `000010` | employees alone, each with the name of the manager |
 *
 * When not: One partition: it gets more requests than a partition can serve. Two tables: the department counts its employees,
 * which needs a transaction. Copies: the department changes often.
 *
 * Source: Table design guide, "One-to-many relationships".
 */
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';

const ofSales = { queryOptions: { filter: odata`PartitionKey eq 'Sales'` } };

/** One partition: the department and all employees come with one query, and change in one transaction. */
const readCompany = (company: TableClient) => all(company.listEntities<{ name: string }>(ofSales));

const hire = (company: TableClient, id: string, name: string, employees: number) =>
  company.submitTransaction([
    ['create', { partitionKey: 'Sales', rowKey: `Employee_${id}`, name }],
    ['update', { partitionKey: 'Sales', rowKey: 'Department', employees }, 'Merge'],
  ]);

/** Two tables: two requests at the same time, to two partitions that share no load. */
const readTables = (departments: TableClient, staff: TableClient) =>
  Promise.all([departments.getEntity<{ manager: string }>('Sales', 'Sales'), all(staff.listEntities(ofSales))]);

/** Copies: an employee comes with the manager. A new manager is written to every employee. */
const readEmployee = (copies: TableClient, id: string) => copies.getEntity<{ manager: string }>('Sales', id);

async function changeManager(copies: TableClient, manager: string) {
  const staff = await all(copies.listEntities({ queryOptions: { ...ofSales.queryOptions, select: ['rowKey'] } }));
  const actions = staff.map(
    ({ rowKey = '' }): TransactionAction => ['update', { partitionKey: 'Sales', rowKey, manager }, 'Merge'],
  );
  for (let at = 0; at < actions.length; at += 100) await copies.submitTransaction(actions.slice(at, at + 100));
}

describePattern(import.meta.url, async ({ table, step }) => {
  const [company, departments] = [await table('Company'), await table('Departments')];
  const [staff, copies] = [await table('Staff'), await table('Copies')];
  const ids = Array.from({ length: 150 }, (_, at) => String(at).padStart(6, '0'));
  const employees = (prefix: string, properties: object) =>
    ids.map((id) => ({ partitionKey: 'Sales', rowKey: `${prefix}${id}`, name: `n${id}`, ...properties }));
  await company.createEntity({ partitionKey: 'Sales', rowKey: 'Department', employees: 150, manager: 'Kwok' });
  await insertAll(company, employees('Employee_', {}));
  await departments.createEntity({ partitionKey: 'Sales', rowKey: 'Sales', manager: 'Kwok' });
  await insertAll(staff, employees('', {}));
  await insertAll(copies, employees('', { manager: 'Kwok' }));

  const whole = query('partition-scan', 151);
  expect(
    await step('one partition: read the department with 150 employees', whole, () => readCompany(company)),
  ).toHaveLength(151);
  await step('one partition: hire, and count it', writes(1), () => hire(company, '000150', 'n000150', 151));
  expect(await company.getEntity('Sales', 'Department')).toMatchObject({ employees: 151, manager: 'Kwok' });

  const both = { transactions: 2, class: 'point, partition-scan', read: 151, returned: 151 };
  const [department, members] = await step('two tables: read the same', both, () => readTables(departments, staff));
  expect([department.manager, members.length]).toEqual(['Kwok', 150]);

  await step('copies: read an employee with the manager', points(1), () => readEmployee(copies, '000007'));
  const change = { transactions: 3, class: 'partition-scan', read: 150, returned: 150 };
  await step('copies: change the manager', change, () => changeManager(copies, 'Hall'));
  expect(await readEmployee(copies, '000149')).toMatchObject({ manager: 'Hall', name: 'n000149' });
});
