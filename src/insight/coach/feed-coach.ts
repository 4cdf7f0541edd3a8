import { Query } from '../../address/query.js';
import { targetOf } from '../../address/request-target.js';
import { isOfExplorer } from '../../protocol/header-fields.js';
import { type OperationName, operationsThat } from '../../protocol/operation-names.js';
import { ownText } from '../../remembered.js';
import type { RequestObserver, RequestRecord } from '../../service/observe.js';
import { type CostModel, keyedCosts } from '../queries/cost-model.js';
import { ignoredOption, ignoredOptionWords } from '../queries/judge-query.js';
import { rewriteFilter } from '../queries/rewrite-filter.js';
import { writeQueryShape } from '../queries/write-shape.js';
import type { Coach } from './coach.js';
import type { ObservedRequest } from './observation.js';

/** Returns the cost model for an account's service. */
export type CostsOf = (account: string | undefined) => CostModel;

const conditionalOperations: ReadonlySet<OperationName | undefined> = new Set(
  operationsThat(({ isConditional }) => isConditional),
);

/**
 * Returns an observer that feeds a coach. It parses nothing: a query comes with its parsed filter, a write with its changes.
 * `markFor` returns the mark of an account's requests, `now` milliseconds since 1970, `originOf` the origin of a branch.
 */
export function feedCoach(
  coach: Coach,
  markFor: (account: string | undefined) => string | undefined,
  now: () => number,
  costsOf: CostsOf = () => keyedCosts,
  originOf: (account: string) => string | undefined = () => undefined,
): RequestObserver {
  let followed = '';
  let lastTable = '';
  /** Returns a copy of a table name for retention. Usually it is that of the previous request. */
  const tableOf = (name: string) => {
    if (name !== lastTable) lastTable = ownText(name);
    return lastTable;
  };
  return (record) => {
    if (isOfExplorer(record.request.headers)) return;
    const { operation, resource, status } = record;
    coach.usage.requests++;
    coach.usage.read += record.entitiesRead;
    coach.usage.returned += record.entitiesReturned;
    if (resource === undefined) return;
    if (record.account !== undefined && record.account !== followed) follow(record.account);
    if (operation === 'Get Entity') {
      if (resource.kind !== 'entity') return;
      const { partitionKey, rowKey } = resource.key;
      coach.steps.readPoint(requestOf(record), partitionKey, rowKey);
    } else if (operation === 'Query Entities') {
      observeQuery(record);
    } else if (operation === 'Create Table') {
      if (status === 409) coach.habits.rejectCreation(requestOf(record));
      else if (status < 400) coach.habits.createTable(requestOf(record));
    } else if (operation === 'Delete Table') {
      if (status < 400) coach.habits.deleteTable(requestOf(record));
    } else {
      observeWrite(record);
    }
  };

  function follow(account: string): void {
    followed = account;
    const origin = originOf(account);
    if (origin !== undefined) coach.followAccount(account, origin);
  }

  function observeWrite(record: RequestRecord): void {
    const { operation, written, request } = record;
    const etag = request.headers['if-match'];
    if (etag !== undefined && etag !== '*' && conditionalOperations.has(operation)) {
      coach.habits.writeConditional(requestOf(record));
    }
    if (isWithoutOperation(record)) coach.habits.storeNothing(requestOf(record));
    if (!written) return;
    const { account = '', table = written.table } = record;
    const write = {
      at: now(),
      requestId: record.requestId,
      mark: markFor(record.account),
      account,
      table: tableOf(table),
      status: record.status,
      connection: record.request.connection,
      changes: written.changes,
      isTransaction: operation === 'Entity Group Transaction',
    };
    coach.tables.observe(write);
    coach.steps.write(write);
  }

  function observeQuery(record: RequestRecord): void {
    const { resource, query } = record;
    if (resource?.kind !== 'entities') return;
    if (!query) {
      observeRejection(record);
      return;
    }
    const ignored = ignoredOption(record.request.target);
    if (ignored !== undefined) coach.habits.ignoreOption(requestOf(record), ignoredOptionWords(ignored));
    const { filter, select, top, startAt } = query;
    const costs = costsOf(record.account);
    const { level } = record.representation;
    // Written out, because a spread is several times slower.
    const page = {
      at: now(),
      requestId: record.requestId,
      mark: markFor(record.account),
      account: record.account ?? '',
      table: tableOf(resource.table),
      status: record.status,
      connection: record.request.connection,
      query: costs.classify(filter),
      shape: writeQueryShape(resource.table, filter, { select: select?.text, rowsMax: top }),
      comparisons: filter ? costs.countComparisons(filter) : 0,
      readFilter: () => filterOf(record),
      rewrite: () => (filter ? rewriteFilter(filter) : []),
      hasSelect: select?.names !== undefined,
      hasTop: top !== undefined,
      startRow: startAt?.rowKey,
      continues: record.continues,
      hasFullMetadata: level === 'fullmetadata' || level === 'atom',
      read: record.entitiesRead,
      returned: record.entitiesReturned,
      bytes: record.answerBytes,
    };
    coach.shapes.observe(page);
    coach.steps.query(page);
  }

  function observeRejection(record: RequestRecord): void {
    const { cause, text, advice } = record.explanation ?? {};
    if (!cause?.startsWith('filter-')) return;
    const explanation = advice === undefined ? `${text}` : `${text} ${advice}`;
    coach.habits.rejectFilter({ ...requestOf(record), filter: filterOf(record), cause, explanation });
  }

  function requestOf(record: RequestRecord): ObservedRequest {
    const { requestId, status, account = '', table: sent = '' } = record;
    const table = tableOf(sent);
    const { connection } = record.request;
    return { at: now(), requestId, mark: markFor(record.account), account, table, status, connection };
  }
}

/** Whether a transaction succeeded without operations. A batch with operations has a table. */
function isWithoutOperation({ operation, status, failedPart, table }: RequestRecord): boolean {
  return operation === 'Entity Group Transaction' && status < 400 && !failedPart && table === undefined;
}

function filterOf({ request }: RequestRecord): string {
  const target = targetOf(request.target);
  const at = target.indexOf('?');
  return new Query(at < 0 ? '' : target.slice(at + 1)).get('$filter') ?? '';
}
