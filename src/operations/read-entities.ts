import { signedRangeOf } from '../auth/authorize.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';
import { isAnalyticsTable, lowerAscii } from '../protocol/names.js';
import { compileTextTest } from '../query/filter/evaluate-filter.js';
import { isWithin } from '../query/plan/key-ranges.js';
import type { QueryPlan } from '../query/plan/plan.js';
import { planQuery } from '../query/plan/plan-query.js';
import { checkOptionNames, rejectUnsupportedOptions } from '../query/query-options.js';
import { parseSelect, type Select } from '../query/select.js';
import { isRejection, type Page, type Rejection, type TableHandle } from '../store/store.js';
import type { Answer, EntityQuery } from './answer.js';
import { addressedEntity, openAddressedTable, type StoreOperation, tableOf } from './operation.js';
import { errorOfRejection } from './rejections.js';

interface EntityRead {
  readonly select: Select | undefined;
  /** Returns whether an entity satisfies the filter; undefined if there is none. */
  readonly matches: ((text: EntityText) => boolean) | undefined;
}

/**
 * Get Entity: GET with both keys. The service's documentation describes it under Query Entities. A `$filter` is a condition: an
 * entity that does not match it is not found.
 *
 * Answers with the entity. Errors: those of `parseFilter`, those of `checkAddressedTable`, ResourceNotFound (404),
 * TableNotFound (404). Source: operations 8.9; checks-order 5.
 */
export const getEntity: StoreOperation<EntityRead> = {
  name: 'Get Entity',
  kind: 'store',

  read({ shared: { query, rules, filters } }) {
    const listed = query.get('$select');
    const select = listed === undefined ? undefined : parseSelect(listed, rules.selectsBlanks);
    const text = query.get('$filter');
    const filter = text === undefined ? undefined : filters.parse(text);
    return { select, matches: filter && compileTextTest(rules.adaptFilter(filter)) };
  },

  needsTable() {
    return true;
  },

  run(request, _store, { select, matches }) {
    const { table, key } = addressedEntity(request.resource);
    const { identity, query } = request.shared;
    const visible =
      identity.kind !== 'table-signature' || isWithin(signedRangeOf(identity), key.partitionKey, key.rowKey);
    const answer = (text: EntityText | undefined | Rejection): Answer => {
      if (isRejection(text)) throw errorOfRejection(text);
      if (!visible) throw new TableError('ResourceNotFound', { evidence: () => ({ check: 'signed-range', ...key }) });
      if (text === undefined) throw missingEntity(table, key);
      if (matches && !matches(text)) throw unmatchedEntity(query.get('$filter') ?? '');
      return { kind: 'entity', text, select };
    };
    const found = openAddressedTable(request).readEntity(key);
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
};

function unmatchedEntity(filter: string): TableError {
  return new TableError('ResourceNotFound', { evidence: () => ({ check: 'filter-unmatched', filter }) });
}

function missingEntity(table: string, key: EntityKey): TableError {
  return new TableError('ResourceNotFound', {
    evidence: () => ({
      ...{ check: 'stored-entity', table: lowerAscii(table), ...key },
      ...{ sentEtag: undefined, presentEtag: undefined },
    }),
  });
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

  read({ shared: { query, rules, filters } }) {
    const top = rules.readTop(query.get('$top'));
    const select = parseSelect(query.get('$select'), rules.selectsBlanks);
    const startAt = rules.readEntityStart(query);
    checkOptionNames(query.names());
    const parsed = filters.parse(query.get('$filter') ?? '');
    const filter = parsed && rules.adaptFilter(parsed);
    rejectUnsupportedOptions(query.names());
    return { filter, select, top, startAt };
  },

  needsTable({ resource }) {
    return !isAnalyticsTable(tableOf(resource));
  },

  async run(request, _store, query) {
    const { filter, top, startAt } = query;
    const {
      resource,
      shared: { identity, isGone },
    } = request;
    const plan = planQuery(filter, { rowsMax: top ?? pageRowsMax, startAt, within: signedRangeOf(identity) });
    // Nothing is measured here, so the analytics tables are empty.
    const isEmpty = isAnalyticsTable(tableOf(resource));
    const page = isEmpty ? noRows : await readRows(openAddressedTable(request), plan, isGone);
    if (isRejection(page)) throw errorOfRejection(page);
    return { kind: 'entities', page, query };
  },
};

const noRows: Page = { rows: [], examined: 0 };

/** Reads a page. With `$top=0` there are no rows and no next key, so this only looks for the table. */
async function readRows(table: TableHandle, plan: QueryPlan, isGone: () => boolean): Promise<Page | Rejection> {
  if (plan.rowsMax > 0) return table.readPage(plan, isGone);
  return (await table.find()) ? noRows : { reason: 'table-missing', at: 0 };
}
