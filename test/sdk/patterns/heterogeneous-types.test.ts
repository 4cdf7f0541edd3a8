/**
 * Entities of several types
 *
 * Problem: A department and its employees are read and changed together, so they are in one partition. The reader has to tell
 * them apart, including entities written by an older version of the program.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `Department` | the department, `entityType` `Department_v1` |
 * | `Sales` | `Employee_000010` | an employee, `entityType` `Employee_v2` |
 *
 * When not: The types are never read together, or grow at different rates. In that case, give each its own table.
 *
 * Source: Table design guide, "Work with heterogeneous entity types".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, query, writes } from '../../support/docs/describe-pattern.js';

type Department = { readonly entityType: 'Department_v1'; readonly employees: number };
type FirstEmployee = { readonly entityType: 'Employee_v1'; readonly fullName: string };
type Employee = { readonly entityType: 'Employee_v2'; readonly firstName: string; readonly lastName: string };
type Member = { readonly partitionKey: string; readonly rowKey: string } & (Department | FirstEmployee | Employee);

/** One query reads both types. */
const readDepartment = (company: TableClient, name: string) =>
  all(company.listEntities<Member>({ queryOptions: { filter: odata`PartitionKey eq ${name}` } }));

/** The type and its version are in a property: they say which other properties there are. */
function describeMember(member: Member): string {
  switch (member.entityType) {
    case 'Department_v1':
      return `${member.partitionKey} with ${member.employees} employees`;
    case 'Employee_v1':
      return member.fullName;
    case 'Employee_v2':
      return `${member.firstName} ${member.lastName}`;
  }
}

/** The type is also in the key, so one type is a range. `~` sorts after every digit. */
const listEmployees = (company: TableClient, department: string) =>
  all(
    company.listEntities<Employee | FirstEmployee>({
      queryOptions: {
        filter: odata`PartitionKey eq ${department} and RowKey ge 'Employee_' and RowKey lt 'Employee_~'`,
      },
    }),
  );

/** A property that every type may have is changed without knowing the type: a merge leaves the others alone. */
const setCity = (company: TableClient, { partitionKey, rowKey }: Member, city: string) =>
  company.updateEntity({ partitionKey, rowKey, city }, 'Merge');

describePattern(import.meta.url, async ({ table, step }) => {
  const company = await table('Company');
  const key = (rowKey: string) => ({ partitionKey: 'Sales', rowKey });
  const write = () =>
    company.submitTransaction([
      ['create', { ...key('Department'), entityType: 'Department_v1', employees: 2 }],
      ['create', { ...key('Employee_000010'), entityType: 'Employee_v1', fullName: 'Ken Kwok' }],
      ['create', { ...key('Employee_000011'), entityType: 'Employee_v2', firstName: 'Jun', lastName: 'Cao' }],
    ]);
  await step('write a department with its employees', writes(1), write);

  const members = await step('read all of a department', query('partition-scan', 3), () =>
    readDepartment(company, 'Sales'),
  );
  expect(members.map(describeMember)).toEqual(['Sales with 2 employees', 'Ken Kwok', 'Jun Cao']);
  const employees = await step('list its employees', query('row-range', 2), () => listEmployees(company, 'Sales'));
  expect(employees.map(({ rowKey }) => rowKey)).toEqual(['Employee_000010', 'Employee_000011']);

  const [department] = members;
  if (department) await step('change an entity of any type', writes(1), () => setCity(company, department, 'Oslo'));
  expect((await readDepartment(company, 'Sales'))[0]).toMatchObject({ city: 'Oslo', employees: 2 });
});
