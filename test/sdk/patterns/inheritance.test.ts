/**
 * Inheritance
 *
 * Problem: Customers and employees are both persons. A program treats all persons alike in some places, and distinguishes the
 * types in others.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Customer` | `jonesj@contoso.com` | a customer, with the properties of a person and its own |
 * | `Employee` | `kenk@contoso.com` | an employee, alike |
 *
 * When not: The types have little in common. Separate tables are then easier to read and to grant access to.
 *
 * Source: Table design guide, "Inheritance relationships".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';

/** What customers and employees have in common. The PartitionKey is the type. */
interface Person {
  readonly partitionKey: 'Customer' | 'Employee';
  readonly rowKey: string;
  readonly name: string;
}

interface Customer extends Person {
  readonly partitionKey: 'Customer';
  readonly discount: number;
}

interface Employee extends Person {
  readonly partitionKey: 'Employee';
  readonly room: string;
}

const save = (persons: TableClient, person: Customer | Employee) => persons.upsertEntity(person, 'Replace');

const load = (persons: TableClient, type: Person['partitionKey'], email: string) =>
  persons.getEntity<Customer | Employee>(type, email);

/** The compiler knows the properties of each type from its PartitionKey. */
const describePerson = (person: Customer | Employee) =>
  person.partitionKey === 'Customer'
    ? `${person.name}, ${person.discount} % off`
    : `${person.name}, room ${person.room}`;

/** What all persons have can be asked of either type. */
const listNames = async (persons: TableClient, type: Person['partitionKey']) => {
  const queryOptions = { filter: odata`PartitionKey eq ${type}`, select: ['name'] };
  return (await all(persons.listEntities<Person>({ queryOptions }))).map(({ name }) => name);
};

describePattern(import.meta.url, async ({ table, step }) => {
  const persons = await table('Persons');
  const jones = { partitionKey: 'Customer', rowKey: 'jonesj@contoso.com', name: 'Jones', discount: 10 } as const;
  const kwok = { partitionKey: 'Employee', rowKey: 'kenk@contoso.com', name: 'Ken Kwok', room: '4.12' } as const;
  await step('save a person', writes(1), () => save(persons, jones));
  await save(persons, kwok);

  const loaded = await step('load a customer', points(1), () => load(persons, 'Customer', jones.rowKey));
  expect(describePerson(loaded)).toBe('Jones, 10 % off');
  expect(describePerson(await load(persons, 'Employee', kwok.rowKey))).toBe('Ken Kwok, room 4.12');
  const names = await step('list the employees', query('partition-scan', 1), () => listNames(persons, 'Employee'));
  expect(names).toEqual(['Ken Kwok']);
});
