import type { Change } from '../../../src/entity/stored/change.js';
import type { ObservedQuery, ObservedRequest, ObservedWrite } from '../../../src/insight/coach/observation.js';
import { classifyQuery, countComparisons } from '../../../src/insight/queries/classify-query.js';
import { rewriteFilter } from '../../../src/insight/queries/rewrite-filter.js';
import { writeQueryShape } from '../../../src/insight/queries/write-shape.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';

/** The connection of all requests that name no other. */
const connection = {};

/** Returns a request as a coach gets it. */
export function observedRequest(change: Partial<ObservedRequest> = {}): ObservedRequest {
  const ids = { requestId: 'id', mark: undefined, account: 'account', table: 'People' };
  return { ...{ at: 0, status: 200, connection }, ...ids, ...change };
}

/** Returns a page of a query with this filter, as a coach gets it. `rowsMax` is `$top`. */
export function observedPage(
  filter: string,
  { rowsMax, ...change }: Partial<ObservedQuery> & { readonly rowsMax?: number } = {},
): ObservedQuery {
  const parsed = parseFilter(filter);
  return {
    ...observedRequest(),
    query: classifyQuery(parsed),
    shape: writeQueryShape('People', parsed, { rowsMax }),
    comparisons: parsed ? countComparisons(parsed) : 0,
    readFilter: () => filter,
    rewrite: () => (parsed ? rewriteFilter(parsed) : []),
    ...{
      hasSelect: false,
      hasTop: rowsMax !== undefined,
      hasFullMetadata: false,
      startRow: undefined,
      continues: false,
    },
    ...{ read: 1, returned: 1, bytes: 100 },
    ...change,
  };
}

/** Returns an insert of an entity without properties. */
export function insertOf(partitionKey: string, rowKey: string): Change {
  return { kind: 'insert', key: { partitionKey, rowKey }, properties: [] };
}

/** Returns a write as a coach gets it: a single one if it has one change. */
export function observedWrite(changes: readonly Change[], change: Partial<ObservedWrite> = {}): ObservedWrite {
  const kind = { isTransaction: changes.length > 1, table: 'People' };
  return { ...observedRequest(), ...kind, changes, ...change };
}
