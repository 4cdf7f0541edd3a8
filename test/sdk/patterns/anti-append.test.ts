/**
 * Anti-pattern: append
 *
 * Problem: Events are partitioned by hour. All inserts go to the current hour's partition, the last one in the table, and the
 * service cannot spread that load across servers.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `2026-11-02T15` | `000042` | an event of that hour |
 * | `Sales_000123` | `2026-11-02T15_000042` | instead: the same event, in the partition of its source |
 *
 * Instead: Start the PartitionKey with the source, and put the time into the RowKey. Many partitions then grow in parallel.
 *
 * Source: Table design guide, "Prepend/append anti-pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describeAntiPattern, writes } from '../../support/docs/describe-pattern.js';

interface LogEvent {
  readonly id: string;
  readonly employee: string;
  readonly at: Date;
}

const hourOf = (at: Date) => at.toISOString().slice(0, 13);

const append = (events: TableClient, { id, employee, at }: LogEvent) =>
  events.createEntity({ partitionKey: hourOf(at), rowKey: id, employee });

/** Instead: as many partitions as there are employees. */
const spread = (events: TableClient, { id, employee, at }: LogEvent) =>
  events.createEntity({ partitionKey: `Sales_${employee}`, rowKey: `${hourOf(at)}_${id}` });

describeAntiPattern(import.meta.url, [], async ({ table, step, server }) => {
  const [appended, spreadOut] = [await table('Appended'), await table('Spread')];
  const partitions = { appended: new Set<string>(), spreadOut: new Set<string>() };
  for (let at = 0; at < 120; at++) {
    const id = String(at).padStart(6, '0');
    const event = { id, employee: `00${(at * 37) % 50}`, at: new Date() };
    partitions.appended.add(hourOf(event.at));
    partitions.spreadOut.add(event.employee);
    await append(appended, event);
    await spread(spreadOut, event);
    server.pass(120_000);
  }
  expect([partitions.appended.size, partitions.spreadOut.size]).toEqual([4, 50]);

  const last = { id: '000120', employee: '0007', at: new Date() };
  await step('add an event to this hour', writes(1), () => append(appended, last));
  await step('add it to its source', writes(1), () => spread(spreadOut, last));
});
