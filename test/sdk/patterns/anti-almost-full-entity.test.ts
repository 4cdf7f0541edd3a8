/**
 * Anti-pattern: an entity that is almost full
 *
 * Problem: Every day adds a property to an entity. This works in all tests, and fails on the 253rd day, when the entity has the
 * maximum number of properties.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123_2026` | an employee's year, with 210 properties already |
 * | `Sales` | `000123_2026_01` | instead: half of the year |
 *
 * Instead: Split a [wide entity](#wide-entities) early, and put [large values](#large-entities) into blobs.
 *
 * Source: Table design guide, "Wide entities pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describeAntiPattern, writes } from '../../support/docs/describe-pattern.js';

const record = (messages: TableClient, rowKey: string, days: Readonly<Record<string, number>>) =>
  messages.upsertEntity({ partitionKey: 'Sales', rowKey, ...days }, 'Merge');

/** The counts of some days, as properties. */
const countDays = (from: number, to: number) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`day${String(from + at).padStart(3, '0')}`, at]));

/** Instead: the second half of the year has an entity of its own. */
const halfOf = (year: string, day: number) => `${year}_${day < 183 ? '01' : '02'}`;

describeAntiPattern(import.meta.url, ['near-limit/properties warn'], async ({ table, step }) => {
  const messages = await table('MessageCounts');
  await step('record 210 days in one entity', writes(1), () => record(messages, '000123_2026', countDays(0, 210)));
  await expect(record(messages, '000123_2026', countDays(210, 253))).rejects.toMatchObject({ statusCode: 400 });

  const year = '000124_2026';
  await step('record the first half of a year', writes(1), () => record(messages, halfOf(year, 0), countDays(0, 183)));
  await step('record the other half', writes(1), () => record(messages, halfOf(year, 200), countDays(183, 365)));
});
