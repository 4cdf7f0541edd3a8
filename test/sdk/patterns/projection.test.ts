/**
 * Projection
 *
 * Problem: A list shows the addresses of all employees. The entities also contain photos and resumes, which would be transferred
 * for nothing.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee with an address and 2,000 characters more |
 *
 * When not: The program needs most properties. Projection does not reduce the number of transactions or of entities read.
 *
 * Source: Table design guide, "Server-side projection".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, query } from '../../support/docs/describe-pattern.js';

interface Employee {
  readonly email: string;
  readonly curriculum: string;
}

const filter = odata`PartitionKey eq 'Sales'`;

const listWhole = (staff: TableClient) => all(staff.listEntities<Employee>({ queryOptions: { filter } }));

/** Only these properties are in the answer. The keys come only if they are named, too. */
const listEmails = (staff: TableClient) =>
  all(staff.listEntities<Employee>({ queryOptions: { filter, select: ['rowKey', 'email'] } }));

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const ids = Array.from({ length: 100 }, (_, at) => String(at).padStart(6, '0'));
  const curriculum = 'Learned a trade. '.repeat(120);
  await insertAll(
    staff,
    ids.map((id) => ({ partitionKey: 'Sales', rowKey: id, email: `${id}@contoso.com`, curriculum })),
  );

  const scan = query('partition-scan', 100);
  await step('list 100 employees', { ...scan, kib: 219 }, () => listWhole(staff));
  const emails = await step('list their addresses', { ...scan, kib: 12 }, () => listEmails(staff));
  expect(emails.map(({ rowKey, email }) => `${rowKey} ${email}`)).toEqual(ids.map((id) => `${id} ${id}@contoso.com`));
  expect(emails[0]).not.toHaveProperty('curriculum');
});
