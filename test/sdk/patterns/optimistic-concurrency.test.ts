/**
 * Optimistic concurrency
 *
 * Problem: Two clients read an entity, both change it, and the second write would overwrite the first. An entity's ETag changes
 * with every write, so a write can require the state that the client has read.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `department` | a department with the number of its employees |
 *
 * When not: The new value does not depend on the old one: an upsert needs no read. Or most writes conflict: split the entity.
 *
 * Source: Table design guide, "Managing concurrency".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describePattern, points } from '../../support/docs/describe-pattern.js';

interface Department {
  readonly employees: number;
}

const read = (company: TableClient) => company.getEntity<Department>('Sales', 'department');

/** Writes only if the entity still has the tag that it was read with. */
async function write(company: TableClient, employees: number, etag: string): Promise<boolean> {
  try {
    await company.updateEntity({ partitionKey: 'Sales', rowKey: 'department', employees }, 'Merge', { etag });
    return true;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 412) return false;
    throw error;
  }
}

/** Reads again until no other client has written between the read and the write. */
async function add(company: TableClient, more: number) {
  for (;;) {
    const { employees, etag } = await read(company);
    if (await write(company, employees + more, etag)) return;
  }
}

describePattern(import.meta.url, async ({ table, step }) => {
  const company = await table('Company');
  await company.createEntity({ partitionKey: 'Sales', rowKey: 'department', employees: 153 });

  await step('hire one, without another client', { ...points(1), transactions: 2 }, () => add(company, 1));

  // Both clients have read 154. The second write is rejected, and is made again on what the first has written.
  const [first, second] = [await read(company), await read(company)];
  expect(await write(company, first.employees + 10, first.etag)).toBe(true);
  expect(await write(company, second.employees + 1, second.etag)).toBe(false);
  await add(company, 1);
  expect(await read(company)).toMatchObject({ employees: 165 });
});
