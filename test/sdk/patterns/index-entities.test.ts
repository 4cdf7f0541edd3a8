/**
 * Index entities
 *
 * Problem: Several employees share a last name, so it cannot be a key. An index entity per name lists the numbers of the
 * employees who have it.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `empid_000152` | an employee |
 * | `Sales` | `name_Jones` | the numbers of all employees called Jones, as JSON |
 *
 * When not: A name has so many employees that their numbers exceed 64 KiB: keep the list in a blob. Or the partition approaches
 * 2,000 entities a second: keep the index entities elsewhere.
 *
 * Source: Table design guide, "Index entities pattern".
 */
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { expect } from 'vitest';
import { orNone } from '../../support/answers/sdk-answers.js';
import { describePattern, points } from '../../support/docs/describe-pattern.js';

interface Employee {
  readonly id: string;
  readonly name: string;
}

const entityOf = (employee: Employee) => ({ ...employee, partitionKey: 'Sales', rowKey: `empid_${employee.id}` });

/** Reads the numbers of all employees with a name, and the tag of that list if there is one. */
async function readIndex(staff: TableClient, name: string) {
  const index = await staff.getEntity<{ ids: string }>('Sales', `name_${name}`).catch(orNone);
  return { ids: JSON.parse(index?.ids ?? '[]') as string[], etag: index?.etag };
}

/** Replaces a list. The tag makes the transaction fail if another client has changed the list since. */
function indexAction(name: string, ids: readonly string[], etag: string | undefined): TransactionAction {
  const entity = { partitionKey: 'Sales', rowKey: `name_${name}`, ids: JSON.stringify(ids) };
  return etag === undefined ? ['create', entity] : ['update', entity, 'Replace', { etag }];
}

async function hire(staff: TableClient, employee: Employee) {
  const { ids, etag } = await readIndex(staff, employee.name);
  await staff.submitTransaction([
    ['create', entityOf(employee)],
    indexAction(employee.name, [...ids, employee.id], etag),
  ]);
}

/** Moves an employee from one list to another, and changes the employee, in one transaction. */
async function rename(staff: TableClient, { id, name }: Employee, newName: string) {
  const [before, after] = await Promise.all([readIndex(staff, name), readIndex(staff, newName)]);
  await staff.submitTransaction([
    ['update', entityOf({ id, name: newName }), 'Replace'],
    indexAction(
      name,
      before.ids.filter((one) => one !== id),
      before.etag,
    ),
    indexAction(newName, [...after.ids, id], after.etag),
  ]);
}

/** Reads the list, then all its employees in parallel. */
async function findByName(staff: TableClient, name: string) {
  const { ids } = await readIndex(staff, name);
  return Promise.all(ids.map((id) => staff.getEntity<Employee>('Sales', `empid_${id}`)));
}

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const first = { transactions: 2, class: 'point', read: 0, returned: 0 };
  await step('hire the first Jones', first, () => hire(staff, { id: '000152', name: 'Jones' }));
  for (const id of ['000223', '000391', '000477']) await hire(staff, { id, name: 'Jones' });
  await hire(staff, { id: '000500', name: 'Smith' });

  const found = await step('find the four called Jones', points(5), () => findByName(staff, 'Jones'));
  expect(found.map(({ id }) => id)).toEqual(['000152', '000223', '000391', '000477']);

  const renaming = { ...points(2), transactions: 3 };
  await step('rename an employee', renaming, () => rename(staff, { id: '000223', name: 'Jones' }, 'Smith'));
  expect((await findByName(staff, 'Jones')).map(({ id }) => id)).toEqual(['000152', '000391', '000477']);
  expect((await findByName(staff, 'Smith')).map(({ id }) => id)).toEqual(['000500', '000223']);

  // Another client hires between the read of the list and the transaction, which is rejected as a whole.
  const { ids, etag } = await readIndex(staff, 'Smith');
  await hire(staff, { id: '000600', name: 'Smith' });
  const late = staff.submitTransaction([
    ['create', entityOf({ id: '000601', name: 'Smith' })],
    indexAction('Smith', [...ids, '000601'], etag),
  ]);
  await expect(late).rejects.toMatchObject({ statusCode: 412 });
  expect(await findByName(staff, 'Smith')).toHaveLength(3);
});
