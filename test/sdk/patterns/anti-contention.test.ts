/**
 * Anti-pattern: one counter for all
 *
 * Problem: Many clients increment a counter in the same entity. Each conflicting write is rejected and retried, so most of the
 * work is repetition.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `visits` | `all` | one counter for all clients |
 * | `visits` | `client 3` | instead: a counter for each client |
 *
 * Instead: Give each client its own counter, and add them up on read.
 *
 * Source: Table design guide, "Data series pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, points, query, writes } from '../../support/docs/describe-pattern.js';

interface Counter {
  readonly rowKey: string;
  readonly count: number;
}

const read = (counters: TableClient, rowKey: string) => counters.getEntity<Counter>('visits', rowKey);

/** Adds one to what was read before, unless another client has written since. */
const add = (counters: TableClient, { rowKey, count, etag }: Counter & { readonly etag: string }) =>
  counters.updateEntity({ partitionKey: 'visits', rowKey, count: count + 1 }, 'Merge', { etag });

/** Instead: the sum of the counters of all clients. */
async function sum(counters: TableClient) {
  const filter = odata`PartitionKey eq 'visits' and RowKey ge 'client ' and RowKey lt 'client~'`;
  const each = await all(counters.listEntities<Counter>({ queryOptions: { filter } }));
  return each.reduce((total, { count }) => total + count, 0);
}

describeAntiPattern(import.meta.url, ['contention warn'], async ({ table, step }) => {
  const counters = await table('Counters');
  const clients = Array.from({ length: 4 }, (_, at) => `client ${at}`);
  for (const rowKey of ['all', ...clients]) await counters.createEntity({ partitionKey: 'visits', rowKey, count: 0 });

  // All clients have read the counter before one of them writes.
  for (let round = 0; round < 6; round++) {
    const seen = await Promise.all(clients.map(() => read(counters, 'all')));
    const added = await Promise.allSettled(seen.map((counter) => add(counters, counter)));
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
  expect(await read(counters, 'all')).toMatchObject({ count: 6 });

  const own = await step('read the counter of a client', points(1), () => read(counters, 'client 3'));
  await step('add to it', writes(1), () => add(counters, own));
  expect(await step('read the sum', query('row-range', 4), () => sum(counters))).toBe(1);
});
