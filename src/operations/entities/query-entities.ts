import { signedRangeOf } from '../../auth/authorize.js';
import type { EntityKey } from '../../entity/stored/entity.js';
import { pageRowsMax } from '../../protocol/limits.js';
import { isAnalyticsTable } from '../../protocol/names.js';
import type { Filter } from '../../query/filter/filter.js';
import type { QueryPlan } from '../../query/plan/plan.js';
import { planQuery } from '../../query/plan/plan-query.js';
import { checkOptionNames, refuseUnsupportedOptions } from '../../query/query-options.js';
import { parseSelect, type Select } from '../../query/select.js';
import { isRefusal, type Page, type Refusal, type TableHandle } from '../../store/store.js';
import { openAddressedTable, type StoreOperation, tableOf } from '../operation.js';
import { errorOfRefusal } from '../refusals.js';

/** What a query asks for. */
interface EntityQuery {
  readonly top: number | undefined;
  readonly select: Select | undefined;
  readonly startAt: EntityKey | undefined;
  readonly filter: Filter | undefined;
}

/**
 * Query Entities: GET of a table, with `$filter`, `$select`, `$top` and a continuation token.
 *
 * Answers with a page, and with the key of the next match if there is one.
 * Errors: InvalidInput, OutOfRangeInput, NotImplemented for the query; those of `checkAddressedTable`; TableNotFound (404).
 * Source: operations 8.9; query; checks-order 5.
 */
export const queryEntities: StoreOperation<EntityQuery> = {
  name: 'Query Entities',
  kind: 'store',

  read({ query, rules, filters }) {
    const top = rules.readTop(query.get('$top'));
    const select = parseSelect(query.get('$select'), rules.selectsBlanks);
    const startAt = rules.readEntityStart(query);
    checkOptionNames(query.names());
    const parsed = filters.parse(query.get('$filter') ?? '');
    const filter = parsed && rules.adaptFilter(parsed);
    refuseUnsupportedOptions(query.names());
    return { top, select, startAt, filter };
  },

  needsTable({ resource }) {
    return !isAnalyticsTable(tableOf(resource));
  },

  async run(request, _store, { top, select, startAt, filter }) {
    const { resource, identity, isGone } = request;
    const plan = planQuery(filter, { rowsMax: top ?? pageRowsMax, startAt, within: signedRangeOf(identity) });
    // Nothing is measured here, so the analytics tables are empty.
    const isEmpty = isAnalyticsTable(tableOf(resource));
    const page = isEmpty ? noRows : await readRows(openAddressedTable(request), plan, isGone);
    if (isRefusal(page)) throw errorOfRefusal(page);
    return { kind: 'entities', page, select, asked: { filter, select, top, startAt } };
  },
};

const noRows: Page = { rows: [], examined: 0 };

/** Reads a page. With `$top=0` there are no rows and no next key, so this only looks for the table. */
async function readRows(table: TableHandle, plan: QueryPlan, isGone: () => boolean): Promise<Page | Refusal> {
  if (plan.rowsMax > 0) return table.readPage(plan, isGone);
  return (await table.find()) ? noRows : { reason: 'table-missing', at: 0 };
}
