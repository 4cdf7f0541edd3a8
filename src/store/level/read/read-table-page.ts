import type { QueryPlan } from '../../../query/plan/plan.js';
import type { Page, Refusal } from '../../store.js';
import { textOf } from '../order/ordinal-encoding.js';
import { readPlacedPage } from './read-ordinal-page.js';
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
