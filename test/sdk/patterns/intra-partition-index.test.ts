/**
 * Intra-partition secondary index
 *
 * Problem: Entities can only be looked up by their two keys. A program that also looks up employees by address has to scan the
 * department, and can only list employees in the order of their numbers.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `empid_000223` | an employee, found by number |
 * | `Sales` | `email_jonesj@contoso.com` | the same employee, found by address |
 *
 * When not: The partition approaches 2,000 entities a second (use an index in other partitions), or several employees share a
 * value (use index entities).
 *
 * Source: Table design guide, "Intra-partition secondary index pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';

interface Employee {
  readonly id: string; // six digits, so that texts sort as numbers do
  readonly email: string;
  readonly name: string;
}

const byId = (employee: Employee) => ({ ...employee, partitionKey: 'Sales', rowKey: `empid_${employee.id}` });
const byEmail = (employee: Employee) => ({ ...employee, partitionKey: 'Sales', rowKey: `email_${employee.email}` });

/** Both copies are in one partition, so one transaction writes both or none. */
const hire = (staff: TableClient, employee: Employee) =>
  staff.submitTransaction([
    ['create', byId(employee)],
    ['create', byEmail(employee)],
  ]);

/** A new address is a new key: the copy under the old one goes. */
const changeEmail = (staff: TableClient, employee: Employee, email: string) =>
  staff.submitTransaction([
    ['update', byId({ ...employee, email }), 'Replace'],
    ['delete', byEmail(employee)],
    ['create', byEmail({ ...employee, email })],
  ]);

const find = (staff: TableClient, rowKey: string) => staff.getEntity<Employee>('Sales', rowKey);

/** Lists employees in the order of the key that the range names. */
const list = (staff: TableClient, from: string, below: string) =>
  all(
    staff.listEntities<Employee>({
      queryOptions: { filter: odata`PartitionKey eq 'Sales' and RowKey ge ${from} and RowKey lt ${below}` },
    }),
  );

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const jones = { id: '000223', email: 'jonesj@contoso.com', name: 'Jones' };
  const adams = { id: '000150', email: 'adams@contoso.com', name: 'Adams' };

  await step('hire an employee', writes(1), () => hire(staff, jones));
  await hire(staff, adams);

  expect(await step('find by number', points(1), () => find(staff, 'empid_000223'))).toMatchObject(jones);
  expect(await step('find by address', points(1), () => find(staff, 'email_jonesj@contoso.com'))).toMatchObject(jones);

  expect(
    await step('list numbers 000100 to 000199', query('row-range', 1), () =>
      list(staff, 'empid_000100', 'empid_000200'),
    ),
  ).toMatchObject([adams]);
  expect(
    await step('list addresses that begin with a', query('row-range', 1), () => list(staff, 'email_a', 'email_b')),
  ).toMatchObject([adams]);

  await step('change an address', writes(1), () => changeEmail(staff, jones, 'jones@contoso.com'));
  expect((await list(staff, 'email_', 'email`')).map(({ email }) => email)).toEqual([
    'adams@contoso.com',
    'jones@contoso.com',
  ]);
  expect(await find(staff, 'empid_000223')).toMatchObject({ email: 'jones@contoso.com' });

  // The address is taken, so neither copy is written.
  const rival = { id: '000300', email: 'jones@contoso.com', name: 'Rival' };
  await expect(hire(staff, rival)).rejects.toMatchObject({ statusCode: 409 });
  await expect(find(staff, 'empid_000300')).rejects.toMatchObject({ statusCode: 404 });
});
