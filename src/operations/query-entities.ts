import type { Query } from '../address/query.js';
import { signedRangeOf } from '../auth/authorize.js';
import type { EntityKey } from '../entity/entity.js';
import { writeJsonString } from '../entity/json-text.js';
import { rowWriter } from '../entity/write-row.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';
import { isAnalyticsTable } from '../protocol/names.js';
import { decodeToken, encodeToken } from '../query/continuation-token.js';
import type { Filter } from '../query/filter.js';
import { parseFilter } from '../query/parse-filter.js';
import type { QueryPlan } from '../query/plan.js';
import { planQuery } from '../query/plan-query.js';
import { checkOptionNames, readTop, refuseUnsupportedOptions } from '../query/query-options.js';
import { parseSelect, type Select } from '../query/select.js';
import { isRefusal, type Page, type Refusal, type TableHandle } from '../store/store.js';
import { selectContext } from './entity-body.js';
import { linksOf, type StoreOperation, tableOf } from './operation.js';
import { errorOfRefusal } from './refusals.js';
import { writePage } from './write-page.js';

/** What a query asks for. */
interface EntityQuery {
  readonly rowsMax: number;
  readonly select: Select | undefined;
  readonly startAt: EntityKey | undefined;
  readonly filter: Filter | undefined;
}

/**
 * Query Entities: GET of a table, with `$filter`, `$select`, `$top` and a continuation token.
 *
 * Answers 200 with a page, and with a token exactly when another match is left.
 * Errors: InvalidInput, OutOfRangeInput, NotImplemented for the query; TableNotFound (404).
 * Source: operations 8.9; query; checks-order 5.
 */
export const queryEntities: StoreOperation<EntityQuery> = {
  name: 'Query Entities',
  kind: 'store',

  read({ query }) {
    const top = readTop(query.get('$top'));
    const select = parseSelect(query.get('$select'));
    const startAt = readStart(query);
    checkOptionNames(query.names());
    const filter = parseFilter(query.get('$filter') ?? '');
    refuseUnsupportedOptions(query.names());
    return { rowsMax: top ?? pageRowsMax, select, startAt, filter };
  },

  needsTable({ resource }) {
    return !isAnalyticsTable(tableOf(resource));
  },

  async run(request, store, { rowsMax, select, startAt, filter }) {
    const name = tableOf(request.resource);
    const plan = planQuery(filter, { rowsMax, startAt, within: signedRangeOf(request.identity) });
    // Nothing is measured here, so the analytics tables are empty.
    const page = isAnalyticsTable(name)
      ? noRows
      : await readRows(store.openTable(request.account, name), plan, request.isGone);
    if (isRefusal(page)) throw errorOfRefusal(page);
    const links = linksOf(request);
    const { level, isGone } = request;
    const { rows } = page;
    const context = writeJsonString(`${links.base}/$metadata#${name}${selectContext(select)}`);
    return {
      status: 200,
      json: await writePage({ level, context, rows, writeRow: rowWriter(level, select?.names, links), isGone }),
      ...(page.next && {
        continuation: [
          'x-ms-continuation-NextPartitionKey',
          encodeToken(page.next.partitionKey),
          'x-ms-continuation-NextRowKey',
          encodeToken(page.next.rowKey),
        ],
      }),
    };
  },
};

const noRows: Page = { rows: [], examined: 0 };

/** Reads a page. One without rows has no token, so only its table is looked for. */
async function readRows(table: TableHandle, plan: QueryPlan, isGone: () => boolean): Promise<Page | Refusal> {
  if (plan.rowsMax > 0) return table.readPage(plan, isGone);
  return (await table.find()) ? noRows : { reason: 'table-missing', at: 0 };
}

/**
 * Where the walk goes on. The row key may be missing, which means the start of the partition.
 * Errors: InvalidInput for a row key alone and for tokens that are none. Source: query 6.4.
 */
function readStart(query: Query): EntityKey | undefined {
  const partitionKey = query.get('NextPartitionKey');
  const rowKey = query.get('NextRowKey');
  if (partitionKey === undefined && rowKey === undefined) return undefined;
  if (partitionKey === undefined || partitionKey === '' || rowKey === '') throw new TableError('InvalidInput');
  return { partitionKey: decodeToken(partitionKey), rowKey: rowKey === undefined ? '' : decodeToken(rowKey) };
}
