/**
 * Denormalization
 *
 * Problem: A department refers to its manager by number, so a page that shows both needs two consecutive reads. With a copy of
 * the manager's details in the department, one read is enough.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `department` | the department, with name and address of its manager |
 * | `Sales` | `empid_000010` | the manager |
 *
 * When not: The copied details change more often than they are read, or live in other partitions.
 *
 * Source: Table design guide, "Denormalization pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describePattern, points, writes } from '../../support/docs/describe-pattern.js';

interface Manager {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const managerOf = (manager: Manager) => ({ ...manager, partitionKey: 'Sales', rowKey: `empid_${manager.id}` });

const departmentOf = ({ id, name, email }: Manager) => ({
  ...{ partitionKey: 'Sales', rowKey: 'department', employees: 153 },
  ...{ managerId: id, managerName: name, managerEmail: email },
});

/** Both are in one partition, so a transaction keeps the copy equal. */
const writeManager = (company: TableClient, manager: Manager) =>
  company.submitTransaction([
    ['upsert', managerOf(manager), 'Merge'],
    ['upsert', departmentOf(manager), 'Merge'],
  ]);

/** Without the copy: the second read has to wait for the first. */
async function readBoth(company: TableClient) {
  const { managerId } = await company.getEntity<{ managerId: string }>('Sales', 'department');
  return company.getEntity<Manager>('Sales', `empid_${managerId}`);
}

/** With the copy. */
const readOne = (company: TableClient) =>
  company.getEntity<{ managerName: string; managerEmail: string }>('Sales', 'department');

describePattern(import.meta.url, async ({ table, step }) => {
  const company = await table('Company');
  const kwok = { id: '000010', name: 'Ken Kwok', email: 'kenk@contoso.com' };
  await writeManager(company, kwok);

  expect(await step('show a department without the copy', points(2), () => readBoth(company))).toMatchObject(kwok);
  const shown = await step('show a department', points(1), () => readOne(company));
  expect(shown).toMatchObject({ managerName: 'Ken Kwok', managerEmail: 'kenk@contoso.com' });

  const moved = { ...kwok, email: 'kwok@contoso.com' };
  await step("change the manager's address", writes(1), () => writeManager(company, moved));
  expect(await readBoth(company)).toMatchObject(moved);
  expect(await readOne(company)).toMatchObject({ managerEmail: 'kwok@contoso.com', employees: 153 });
});
