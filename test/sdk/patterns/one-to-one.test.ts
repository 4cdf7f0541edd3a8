/**
 * One to one
 *
 * Problem: A few large properties of an employee are rarely read, but slow down every read of the employee. A second entity
 * holds them; its keys are derived from those of the first.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee |
 * | `Sales` | `000123_cv` | the curriculum of the employee |
 *
 * When not: Both are usually read together. One entity is one read.
 *
 * Source: Table design guide, "One-to-one relationships".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';

/** The link is a rule about keys, so it costs no property, and a transaction writes both. */
const hire = (staff: TableClient, id: string, name: string, curriculum: string) =>
  staff.submitTransaction([
    ['create', { partitionKey: 'Sales', rowKey: id, name }],
    ['create', { partitionKey: 'Sales', rowKey: `${id}_cv`, curriculum }],
  ]);

const readName = (staff: TableClient, id: string) => staff.getEntity<{ name: string }>('Sales', id);

/** Both have adjacent keys, so they are one short range. */
async function readBoth(staff: TableClient, id: string) {
  const filter = odata`PartitionKey eq 'Sales' and RowKey ge ${id} and RowKey le ${`${id}_cv`}`;
  const [employee, rest] = await all(
    staff.listEntities<{ name: string; curriculum: string }>({ queryOptions: { filter } }),
  );
  return { name: employee?.name, curriculum: rest?.curriculum };
}

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const curriculum = 'Learned a trade. '.repeat(1000);
  await hire(staff, '000122', 'Adams', '');
  await step('hire an employee', writes(1), () => hire(staff, '000123', 'Jones', curriculum));
  await hire(staff, '000124', 'Smith', '');

  expect(await step('read the employee', points(1), () => readName(staff, '000123'))).toMatchObject({ name: 'Jones' });
  const both = await step('read both', query('row-range', 2), () => readBoth(staff, '000123'));
  expect(both).toEqual({ name: 'Jones', curriculum });
});
