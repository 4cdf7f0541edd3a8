/**
 * Anti-pattern: an entity for each value of a series
 *
 * Problem: Each hour's message count is a separate entity, and a chart of the day reads all 24 of them again and again.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `000123` | `2026-11-02T15` | the number of messages in one hour |
 * | `000123` | `2026-11-02` | instead: a day, with a property for each hour |
 *
 * Instead: Keep the [series in one entity](#data-series), and use a point read.
 *
 * Source: Table design guide, "Data series pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, points, query } from '../../support/docs/describe-pattern.js';

const hours = Array.from({ length: 24 }, (_, hour) => `T${String(hour).padStart(2, '0')}`);

async function chartSlowly(counts: TableClient, employee: string, day: string) {
  const filter = odata`PartitionKey eq ${employee} and RowKey ge ${`${day}T00`} and RowKey le ${`${day}T23`}`;
  return (await all(counts.listEntities<{ count: number }>({ queryOptions: { filter } }))).map(({ count }) => count);
}

/** Instead: one entity has the whole day. */
async function chart(counts: TableClient, employee: string, day: string) {
  const series = await counts.getEntity<Record<string, number>>(employee, day);
  return hours.map((hour) => series[hour]);
}

describeAntiPattern(import.meta.url, ['small-entities info'], async ({ table, step }) => {
  const [byHour, byDay] = [await table('CountsByHour'), await table('CountsByDay')];
  const counts = hours.map((_, hour) => hour * 10);
  await insertAll(
    byHour,
    counts.map((count, hour) => ({ partitionKey: '000123', rowKey: `2026-11-02${hours[hour]}`, count })),
  );
  const series = Object.fromEntries(counts.map((count, hour) => [hours[hour], count]));
  await byDay.createEntity({ partitionKey: '000123', rowKey: '2026-11-02', ...series });

  for (let reader = 1; reader < 5; reader++) await chartSlowly(byHour, '000123', '2026-11-02');
  const slowly = await step('chart 24 entities', query('row-range', 24), () =>
    chartSlowly(byHour, '000123', '2026-11-02'),
  );
  const atOnce = await step('chart one entity', points(1), () => chart(byDay, '000123', '2026-11-02'));
  expect([slowly, atOnce]).toEqual([counts, counts]);
});
