import { compileTextTest } from '../../../query/filter/evaluate-filter.js';
import { singleKeys } from '../../../query/plan/key-ranges.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import { EventLoopTurn } from '../../event-loop-turn.js';
import { GrowingPage } from '../../growing-page.js';
import type { Page, Refusal } from '../../store.js';
import { textOf } from '../order/ordinal-encoding.js';
import { PlacedRows } from '../order/ordinal-rows.js';
import { sourcesOf } from './merge-rows.js';
import { type PageSource, readPage, type TableRows } from './read-page.js';

/**
 * Reads one page of a table in its order or that of the keys, or returns `table-missing`. `locate` returns where the rows are now, which may change while
 * the read waits for the engine. `isGone` returns whether the client has disconnected. Errors: Abandoned after it has.
 */
export async function readTablePage(
  source: PageSource,
  locate: () => TableRows | undefined,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | Refusal> {
  const { reopener } = source;
  for (;;) {
    for (let readable = reopener.readable; readable; readable = reopener.readable) await readable;
    const table = locate();
    if (!table) return { reason: 'table-missing', at: 0 };
    const isOrdered = table.isPlaced && plan.order !== 'key';
    const page = await (isOrdered
      ? readPlacedPage(source, table.prefixes, plan, isGone)
      : readPage(source, table, plan, isGone));
    if (page) return table.isPlaced && !isOrdered ? { ...page, rows: page.rows.map(textOf) } : page;
    await reopener.scannable;
  }
}

/**
 * Reads one page of a table in the order of insertion. A page begins with a seek to its place. Rows with other keys than the
 * ranges have cost one record of the order each; their entities are not read.
 *
 * - Ranges that are single keys: the entities are looked up and sorted.
 * - Ranges in one partition: reads the order of the partition.
 * - Other ranges: reads the order of the table.
 *
 * Returns undefined if the engine cannot be scanned now. The whole page shows one moment. `isGone` returns whether the client has disconnected. Errors: Abandoned after it has.
 */
async function readPlacedPage(
  { engine, queue, reopener, gate }: PageSource,
  prefixes: readonly string[],
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | undefined> {
  if (plan.ranges.length === 0) return { rows: [], examined: 0 };
  if (reopener.scannable) return undefined;
  gate.enter();
  try {
    const hold = (closed: Promise<unknown>) => gate.hold(closed);
    // Taken once: the whole page shows one moment.
    const sources = sourcesOf(queue.tail, prefixes);
    return await fillPage(new PlacedRows(engine, () => sources, { hold }), plan, isGone);
  } finally {
    gate.leave();
  }
}

/** Adds entities to a page until it is full. */
async function fillPage(table: PlacedRows, plan: QueryPlan, isGone: (() => boolean) | undefined): Promise<Page> {
  const { ranges, filter } = plan;
  const turn = new EventLoopTurn(isGone);
  const page = new GrowingPage(plan);
  const matches = filter && compileTextTest(filter);
  const keys = singleKeys(ranges);
  const rows = keys ? table.lookUp(keys, plan.startAt) : table.inOrder(plan, isGone);
  for await (const chunk of table.entities(rows, () => (matches ? Infinity : page.rowsWanted))) {
    for (const { place, text } of chunk) {
      if ((!matches || matches(text)) && !page.add(text)) {
        const { next, ...rest } = page.finish();
        return next ? { ...rest, next: { ...next, place } } : rest;
      }
      page.examined++;
    }
    if (turn.isOver(chunk.length)) await turn.next();
  }
  return page.finish();
}
