/**
 * Anti-pattern: the same entity again and again
 *
 * Problem: Every request to a program reads the same settings. They change once a month, but are read a hundred times within
 * seconds.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `settings` | `prices` | values that hardly ever change |
 *
 * Instead: Cache the entity in the program for a while, as in [join in the client](#join-in-the-client).
 *
 * Source: Table design guide, "Join in the client".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describeAntiPattern, points } from '../../support/docs/describe-pattern.js';

interface Prices {
  readonly shipping: number;
}

const readEachTime = (settings: TableClient) => settings.getEntity<Prices>('settings', 'prices');

/** Instead: a read each minute, however often the value is needed. */
function keepForAMinute<T>(read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (!kept || Date.now() - kept.at >= 60_000) kept = { at: Date.now(), value: read() };
    return kept.value;
  };
}

describeAntiPattern(import.meta.url, ['n+1/same-entity info'], async ({ table, step }) => {
  const settings = await table('Settings');
  await settings.createEntity({ partitionKey: 'settings', rowKey: 'prices', shipping: 5 });
  const serve = async (read: () => Promise<Prices>) => {
    for (let request = 0; request < 100; request++) expect((await read()).shipping).toBe(5);
  };
  await step('serve 100 requests, reading each time', points(100), () => serve(() => readEachTime(settings)));
  await step('serve 100 requests', points(1), () => serve(keepForAMinute(() => readEachTime(settings))));
});
