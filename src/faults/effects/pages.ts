import type { EntityKey } from '../../entity/stored/entity.js';
import { keyOf } from '../../entity/stored/write-row.js';
import type { QueryPlan } from '../../query/plan/plan.js';
import { isRejection, type Page, type Rejection, type TableHandle } from '../../store/store.js';
import type { Effect, Strike } from './effect.js';
import { wrapTable } from './wrap-table.js';

/** Reads the next page of a table, by the requested plan or another. */
type ReadPage = (plan: QueryPlan) => Promise<Page | Rejection>;

/** Changes a page or its plan. Every row stays reachable through the page's token. */
type PageShape = (read: ReadPage, plan: QueryPlan, strike: Strike) => Promise<Page | Rejection>;

/** Returns the effect of changing pages of entities. Operations that read no page are neither changed nor counted. */
export function shapePages(shape: PageShape): Effect {
  return (strike, run) =>
    run((table: TableHandle) =>
      wrapTable(table, {
        readPage: (plan, isGone) => shape(async (own) => table.readPage(own, isGone), plan, strike),
      }),
    );
}

/** Restricts a shape to accounts with rows in key order, because its tokens are keys. */
export function inKeyOrder(shape: PageShape): PageShape {
  return (read, plan, strike) =>
    strike.service.dialect.traits.rowOrder === 'key' ? shape(read, plan, strike) : read(plan);
}

/** Ends pages after this many rows. */
export function shortPages(rows: number): PageShape {
  return async (read, plan, { hit }) => read(plan.rowsMax > rows && hit() ? { ...plan, rowsMax: rows } : plan);
}

/** Empties the first of every `every` pages read under the rule; its token leads to the first match. */
export function emptyPages(every: number): PageShape {
  let read = 0;
  return async (readPage, plan, { hit }) => {
    if (read++ % every > 0) return readPage(plan);
    const page = await readPage({ ...plan, rowsMax: 1 });
    const [first] = isRejection(page) ? [] : page.rows;
    // Without a match, a token would have no target.
    if (isRejection(page) || first === undefined || !hit()) return readPage(plan);
    return { rows: [], next: keyOfRow(first), examined: page.examined };
  };
}

/** Ends a page where the next partition begins. */
export const partitionPages: PageShape = async (read, plan, { hit }) => {
  const page = await read(plan);
  if (isRejection(page)) return page;
  const { rows } = page;
  const first = partitionOf(rows[0] ?? '');
  const end = rows.findIndex((row) => partitionOf(row) !== first);
  const next = rows[end];
  if (next === undefined || !hit()) return page;
  return { rows: rows.slice(0, end), next: keyOfRow(next), examined: page.examined };
};

/** Ends a page where a partition begins, with only the partition in its token. A page within one partition is unchanged. */
export const pagesOfWholePartitions: PageShape = async (read, plan, { hit }) => {
  const page = await read(plan);
  if (isRejection(page) || !page.next) return page;
  const { partitionKey } = page.next;
  const begun = page.rows.findIndex((row) => partitionOf(row) === partitionKey);
  if (begun === 0 || !hit()) return page;
  const rows = begun < 0 ? page.rows : page.rows.slice(0, begun);
  return { rows, next: { partitionKey, rowKey: '' }, startsPartition: true, examined: page.examined };
};

function partitionOf(row: string): string {
  return keyOf(row, 'PartitionKey');
}

function keyOfRow(row: string): EntityKey {
  return { partitionKey: partitionOf(row), rowKey: keyOf(row, 'RowKey') };
}
