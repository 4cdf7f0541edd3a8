import { Query } from '../address/query.js';
import { targetOf } from '../address/request-target.js';
import { classifyQuery, countComparisons } from '../coach/classify-query.js';
import type { Coach } from '../coach/coach.js';
import type { ObservedRequest } from '../coach/observation.js';
import { writeQueryShape } from '../coach/write-shape.js';
import type { RequestObserver, RequestRecord } from '../http/request-record.js';
import type { OperationName } from '../protocol/operation-names.js';

/** The operations that may name the ETag of an entity. */
const conditionalOperations: ReadonlySet<OperationName | undefined> = new Set([
  'Update Entity',
  'Merge Entity',
  'Delete Entity',
]);

/**
 * Returns the observer that tells a coach of each request. Nothing is parsed: a query
 * comes with its filter as the operation has read it.
 * `markNow` returns the mark that counts, and `now` the time in milliseconds since 1970.
 */
export function feedCoach(coach: Coach, markNow: () => string | undefined, now: () => number): RequestObserver {
  return (record) => {
    const { operation, resource, status } = record;
    if (resource === undefined) return;
    if (operation === 'Get Entity') {
      if (resource.kind !== 'entity' || status !== 200) return;
      const { partitionKey, rowKey } = resource.key;
      coach.habits.readPoint(requestOf(record), partitionKey, rowKey);
    } else if (operation === 'Query Entities') {
      observeQuery(record);
    } else if (operation === 'Create Table') {
      if (status === 409) coach.habits.refuseCreation(requestOf(record));
    } else if (conditionalOperations.has(operation)) {
      const etag = record.request.headers['if-match'];
      if (etag !== undefined && etag !== '*') coach.habits.writeConditional(requestOf(record));
    }
  };

  function observeQuery(record: RequestRecord): void {
    const { resource, asked } = record;
    if (resource?.kind !== 'entities') return;
    if (!asked) {
      observeRefusal(record);
      return;
    }
    const { filter, select, top, isContinuation } = asked;
    // Written out, because an object with a spread is several times as slow.
    coach.shapes.observe({
      at: now(),
      requestId: record.requestId,
      mark: markNow(),
      table: resource.table,
      status: record.status,
      query: classifyQuery(filter, top),
      shape: writeQueryShape(resource.table, filter, { select: select?.text, rowsMax: top }),
      comparisons: filter ? countComparisons(filter) : 0,
      readFilter: () => filterOf(record),
      hasSelect: select?.names !== undefined,
      isContinuation,
      read: record.entitiesRead,
      returned: record.entitiesReturned,
      bytes: record.answerBytes,
    });
  }

  function observeRefusal(record: RequestRecord): void {
    const cause = record.explanation?.cause;
    if (!cause?.startsWith('filter-')) return;
    coach.habits.refuseFilter({ ...requestOf(record), filter: filterOf(record), cause });
  }

  function requestOf({ requestId, resource, status }: RequestRecord): ObservedRequest {
    const table = resource && 'table' in resource ? resource.table : '';
    return { at: now(), requestId, mark: markNow(), table, status };
  }
}

/** Returns the `$filter` of a request, decoded. */
function filterOf({ request }: RequestRecord): string {
  const target = targetOf(request.url ?? '');
  const at = target.indexOf('?');
  return new Query(at < 0 ? '' : target.slice(at + 1)).get('$filter') ?? '';
}
