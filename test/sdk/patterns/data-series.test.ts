/**
 * Data series
 *
 * Problem: A chart shows how many messages an employee sent in each hour of a day. With one entity per hour it reads 24
 * entities; with one property per hour it reads one.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123_2026-11-02` | the day of an employee: properties `hour00` to `hour23` |
 *
 * When not: The series has more than 252 values (use wide entities, or a blob), or many clients write to the same entity at the
 * same time.
 *
 * Source: Table design guide, "Data series pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describePattern, points, writes } from '../../support/docs/describe-pattern.js';

const propertyOf = (hour: number) => `hour${String(hour).padStart(2, '0')}`;

/** Writes one value. The merge leaves the other hours as they are, and makes the entity when the day begins. */
const record = (messages: TableClient, rowKey: string, hour: number, count: number) =>
  messages.upsertEntity({ partitionKey: 'Sales', rowKey, [propertyOf(hour)]: count }, 'Merge');

/** Adds to a value. The tag shows whether another client has written since; then the value is read again. */
async function add(messages: TableClient, rowKey: string, hour: number, more: number): Promise<void> {
  const day = await messages.getEntity<Record<string, number>>('Sales', rowKey);
  const count = (day[propertyOf(hour)] ?? 0) + more;
  try {
    await messages.updateEntity({ partitionKey: 'Sales', rowKey, [propertyOf(hour)]: count }, 'Merge', {
      etag: day.etag,
    });
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 412) throw error;
    await add(messages, rowKey, hour, more);
  }
}

async function chart(messages: TableClient, rowKey: string) {
  const day = await messages.getEntity<Record<string, number>>('Sales', rowKey);
  return Array.from({ length: 24 }, (_, hour) => day[propertyOf(hour)] ?? 0);
}

describePattern(import.meta.url, async ({ table, step, server }) => {
  const messages = await table('MessageCounts');
  const day = '000123_2026-11-02';
  for (let hour = 0; hour < 23; hour++) {
    await record(messages, day, hour, hour * 10);
    server.pass(3_600_000);
  }
  await step('record the last hour', writes(1), () => record(messages, day, 23, 230));
  const counts = await step('chart the day', points(1), () => chart(messages, day));
  expect(counts).toEqual(Array.from({ length: 24 }, (_, hour) => hour * 10));

  await step('add to an hour', { ...points(1), transactions: 2 }, () => add(messages, day, 9, 1));
  await Promise.all([1, 2, 3].map((more) => add(messages, day, 9, more)));
  expect((await chart(messages, day))[9]).toBe(97);
});
