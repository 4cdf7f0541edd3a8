/**
 * Anti-pattern: read, then write
 *
 * Problem: A program reads an entity to check whether it exists, and then writes it. That is two transactions instead of one,
 * and a write by another client in between is lost.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | an employee |
 *
 * Instead: Write directly with an upsert. If the new value depends on the old one, send its ETag along, as in [optimistic
 * concurrency](#optimistic-concurrency).
 *
 * Source: Table design guide, "Merge or replace".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { orNone } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, points, writes } from '../../support/docs/describe-pattern.js';

async function setRoomSlowly(staff: TableClient, rowKey: string, room: string) {
  const employee = { partitionKey: 'Sales', rowKey, room };
  const exists = await staff.getEntity('Sales', rowKey).catch(orNone);
  await (exists ? staff.updateEntity(employee, 'Merge') : staff.createEntity(employee));
}

/** Instead: one request, and the last client wins on purpose. */
const setRoom = (staff: TableClient, rowKey: string, room: string) =>
  staff.upsertEntity({ partitionKey: 'Sales', rowKey, room }, 'Merge');

describeAntiPattern(import.meta.url, ['read-before-write info'], async ({ table, step }) => {
  const staff = await table('Staff');
  const both = { ...points(1), transactions: 2 };
  for (const room of ['4.09', '4.10', '4.11']) await setRoomSlowly(staff, '000123', room);
  await step('read, then write', both, () => setRoomSlowly(staff, '000123', '4.12'));
  await step('write at once', writes(1), () => setRoom(staff, '000123', '4.13'));
  expect(await staff.getEntity('Sales', '000123')).toMatchObject({ room: '4.13' });
});
