/**
 * Merge or replace
 *
 * Problem: One property of a large entity changes. A replace sends the whole entity and removes omitted properties; a merge only
 * sends what changes and retains the rest.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee with a curriculum of 20,000 characters |
 *
 * When not: A property has to be removed. Only a replace can do that.
 *
 * Source: Table design guide, "Merge or replace".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describePattern, writes } from '../../support/docs/describe-pattern.js';

const key = { partitionKey: 'Sales', rowKey: '000123' };

const merge = (staff: TableClient, changed: object) => staff.updateEntity({ ...key, ...changed }, 'Merge');

const replace = (staff: TableClient, whole: object) => staff.updateEntity({ ...key, ...whole }, 'Replace');

/** The same two make an entity that does not exist yet. */
const mergeOrCreate = (staff: TableClient, rowKey: string, changed: object) =>
  staff.upsertEntity({ ...key, rowKey, ...changed }, 'Merge');

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const curriculum = 'Learned a trade. '.repeat(1200);
  await staff.createEntity({ ...key, age: 34, curriculum });

  await step('merge the age', { ...writes(1), kib: 1 }, () => merge(staff, { age: 35 }));
  expect(await staff.getEntity('Sales', '000123')).toMatchObject({ age: 35, curriculum });
  await step('replace all to change the age', { ...writes(1), kib: 20 }, () => replace(staff, { age: 36, curriculum }));

  await step('replace to remove the curriculum', { ...writes(1), kib: 1 }, () => replace(staff, { age: 36 }));
  expect(await staff.getEntity('Sales', '000123')).not.toHaveProperty('curriculum');

  await expect(staff.updateEntity({ ...key, rowKey: '000124', age: 21 }, 'Merge')).rejects.toMatchObject({
    statusCode: 404,
  });
  await step('merge an employee who is not there yet', { ...writes(1), kib: 1 }, () =>
    mergeOrCreate(staff, '000124', { age: 21 }),
  );
  expect(await staff.getEntity('Sales', '000124')).toMatchObject({ age: 21 });
});
