import { writeJsonString } from '../entity/stored/json-text.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';
import { isAnalyticsTable } from '../protocol/names.js';
import { declaredOfTable } from '../protocol/values/edm.js';
import { compileFilter } from '../query/filter/evaluate-filter.js';
import type { Filter } from '../query/filter/filter.js';
import { parseFilter } from '../query/filter/parse-filter.js';
import { checkOptionNames, invalidOption, rejectUnsupportedOptions } from '../query/query-options.js';
import { EventLoopTurn } from '../store/event-loop-turn.js';
import { isRejection, type Table } from '../store/store.js';
import { namedTable, openAddressedTable, type RequestBody, type StoreOperation } from './operation.js';
import { errorOfRejection, missingTableFirst } from './rejections.js';

/**
 * Create Table: POST of a name to the table collection.
 *
 * Answers with the created table.
 * Errors: TableAlreadyExists (409), InvalidResourceName, OutOfRangeInput, InvalidInput, PropertiesNeedValue (400).
 * Source: operations 8.2; checks-order 4.
 */
export const createTable: StoreOperation<string> = {
  name: 'Create Table',
  kind: 'store',

  read(_request, body) {
    return body.readTableName();
  },

  async run({ shared: { account, rules } }, store, name) {
    rules.checkTableName(name);
    const outcome = await store.createTable(account, name);
    if (isRejection(outcome)) {
      throw new TableError('TableAlreadyExists', { evidence: () => ({ check: 'stored-table', table: name }) });
    }
    return { kind: 'table-created', name, created: outcome.created };
  },
};

/** Delete Table: removes the table and all its entities at once. Errors: ResourceNotFound (404). Source: operations 8.3. */
export const deleteTable: StoreOperation = {
  name: 'Delete Table',
  kind: 'store',

  async run(request, store) {
    const outcome = await store.deleteTable(request.shared.account, namedTable(request.resource));
    if (!isRejection(outcome)) return { kind: 'table-deleted' };
    throw outcome.reason === 'table-missing' ? new TableError('ResourceNotFound') : errorOfRejection(outcome);
  },
};

/**
 * Get Table: GET of a table by name. The service's documentation describes it under Query Tables.
 *
 * Answers with the table. Errors: ResourceNotFound (404). Source: operations 8.1.
 */
export const getTable: StoreOperation = {
  name: 'Get Table',
  kind: 'store',

  async run({ resource, shared: { tables } }) {
    const name = namedTable(resource);
    const table = isAnalyticsTable(name) ? { name } : await tables.open(name).find();
    if (!table) throw new TableError('ResourceNotFound');
    return { kind: 'table', name: table.name };
  },
};

/**
 * Query Tables: GET of the table collection, with `$filter` on TableName, `$top` and a continuation token.
 *
 * Answers with a page in the order of their places, and with the next match if there is one.
 * Errors: InvalidInput, NotImplemented. Source: operations 8.1; query 8; checks-order 4.
 */
export const queryTables: StoreOperation = {
  name: 'Query Tables',
  kind: 'store',

  async run({ shared: { account, query, rules, isGone } }, store) {
    const top = rules.readTop(query.get('$top')) ?? pageRowsMax;
    const start = rules.readTableStart(query) ?? '';
    checkOptionNames(query.names());
    const filter = parseFilter(query.get('$filter') ?? '', declaredOfTable);
    rejectUnsupportedOptions(query.names());
    const { foldTableName } = rules;
    const matches = filter ? compileFilter(folded(filter, foldTableName), tableReader(foldTableName)) : () => true;
    const found: Table[] = [];
    const turn = new EventLoopTurn(isGone);
    for (const table of rules.arrangeTables(await store.listTables(account))) {
      if (found.length > top) break;
      if (rules.tablePlace(table.name) >= start && matches(table)) found.push(table);
      if (turn.isOver(1)) await turn.next();
    }
    return { kind: 'tables', tables: found.slice(0, top), next: top === 0 ? undefined : found[top] };
  },
};

/**
 * Returns a function that creates readers of the one property of a table. Another name is rejected with InvalidInput; the
 * service answers InternalError, which does not name the fault (docs/divergences.md).
 */
function tableReader(fold: Fold) {
  return (property: string) => {
    if (property !== 'TableName') throw invalidOption('$filter', property);
    return ({ name }: Table) => ({ type: 'Edm.String', json: writeJsonString(fold(name)) }) as const;
  };
}

type Fold = (name: string) => string;

/** Returns a filter with its strings folded as names of tables are, so that equal names are the same text. */
function folded(filter: Filter, fold: Fold): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, operands: filter.operands.map((operand) => folded(operand, fold)) };
    case 'not':
      return { ...filter, operand: folded(filter.operand, fold) };
    case 'comparison':
      return filter.literal.type === 'Edm.String'
        ? { ...filter, literal: { ...filter.literal, value: fold(filter.literal.value) } }
        : filter;
    default:
      return filter;
  }
}

/**
 * Get Table ACL: the stored access policies of a table. Shared Key only.
 *
 * Errors: those of `checkAddressedTable`, TableNotFound (404). Source: operations 8.4.
 */
export const getTableAcl: StoreOperation = {
  name: 'Get Table ACL',
  kind: 'store',

  async run(request) {
    const policies = await openAddressedTable(request).readAccessPolicies();
    if (!policies) throw new TableError('TableNotFound');
    return { kind: 'access-policies', policies };
  },
};

/**
 * Set Table ACL: replaces all stored access policies of a table; an empty body clears them. Shared Key only.
 *
 * Errors: those of `checkAddressedTable`, TableNotFound (404), InvalidXmlDocument (400), MediaTypeNotSupported (415).
 * Source: operations 8.5; checks-order 9.
 */
export const setTableAcl: StoreOperation<RequestBody> = {
  name: 'Set Table ACL',
  kind: 'store',

  read(_request, body) {
    return body;
  },

  async run(request, _store, body) {
    const table = openAddressedTable(request);
    const policies = await body.readAccessPolicies().catch(async (fault: unknown) => {
      throw await missingTableFirst(table, fault);
    });
    const rejection = await table.writeAccessPolicies(policies);
    if (rejection) throw errorOfRejection(rejection);
    return { kind: 'access-policies-set' };
  },
};
