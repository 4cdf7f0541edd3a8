/**
 * Wide entities
 *
 * Problem: An entity has at most 252 properties, and a year has 365 days. Two entities with adjacent keys hold one value per
 * day.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123_2026_01` | days 1 to 183 of an employee's year: properties `day001` to `day183` |
 * | `Sales` | `000123_2026_02` | days 184 to 365 |
 *
 * When not: The values fit into one entity, which a point read returns. Or there are so many that they belong in a blob.
 *
 * Source: Table design guide, "Wide entities pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, query, writes } from '../../support/docs/describe-pattern.js';

const daysOfPart = 183;
const propertyOf = (day: number) => `day${String(day).padStart(3, '0')}`;
const keyOf = (year: string, day: number) => ({
  partitionKey: 'Sales',
  rowKey: `${year}_${day <= daysOfPart ? '01' : '02'}`,
});

/** Both parts are in one partition, so one transaction writes the whole year. */
function recordYear(messages: TableClient, year: string, counts: readonly number[]) {
  const partOf = (from: number, to: number) => {
    const days = counts.slice(from, to).map((count, at) => [propertyOf(from + at + 1), count]);
    return { ...keyOf(year, from + 1), ...Object.fromEntries(days) };
  };
  return messages.submitTransaction([
    ['upsert', partOf(0, daysOfPart), 'Replace'],
    ['upsert', partOf(daysOfPart, 365), 'Replace'],
  ]);
}

/** The day tells which of the two entities has it. */
const recordDay = (messages: TableClient, year: string, day: number, count: number) =>
  messages.updateEntity({ ...keyOf(year, day), [propertyOf(day)]: count }, 'Merge');

/** Both parts are one short range. */
async function readYear(messages: TableClient, year: string) {
  const filter = odata`PartitionKey eq 'Sales' and RowKey ge ${`${year}_01`} and RowKey le ${`${year}_02`}`;
  const parts = await all(messages.listEntities<Record<string, number>>({ queryOptions: { filter } }));
  const days = Object.assign({}, ...parts) as Record<string, number>;
  return Array.from({ length: 365 }, (_, at) => days[propertyOf(at + 1)]);
}

describePattern(import.meta.url, async ({ table, step }) => {
  const messages = await table('MessageCounts');
  const counts = Array.from({ length: 365 }, (_, at) => at * 3);
  await step('record a year', writes(1), () => recordYear(messages, '000123_2026', counts));
  await step('record a day', writes(1), () => recordDay(messages, '000123_2026', 200, 7));

  const year = await step('read the year', query('row-range', 2), () => readYear(messages, '000123_2026'));
  expect(year).toEqual(counts.with(199, 7));
});
