import { writeJsonString } from '../entity/json-text.js';
import { declaredOfTable } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';
import { lowerAscii } from '../protocol/names.js';
import { compileFilter } from '../query/evaluate-filter.js';
import type { Filter } from '../query/filter.js';
import { parseFilter } from '../query/parse-filter.js';
import { checkOptionNames, readTop, refuseUnsupportedOptions } from '../query/query-options.js';
import { decodeTableToken } from '../query/table-token.js';
import { EventLoopTurn } from '../store/event-loop-turn.js';
import type { Table } from '../store/store.js';
import type { StoreOperation } from './operation.js';

/**
 * Query Tables: GET of the table collection, with `$filter` on TableName, `$top` and a continuation token.
 *
 * Answers with a page by lower-cased name, and with the next match if there is one.
 * Errors: InvalidInput, NotImplemented. Source: operations 8.1; query 8; checks-order 4.
 */
export const queryTables: StoreOperation = {
  name: 'Query Tables',
  kind: 'store',

  async run({ account, query, isGone }, store) {
    const top = readTop(query.get('$top')) ?? pageRowsMax;
    const token = query.get('NextTableName');
    const start = token === undefined ? '' : decodeTableToken(token);
    checkOptionNames(query.names());
    const filter = parseFilter(query.get('$filter') ?? '', declaredOfTable);
    refuseUnsupportedOptions(query.names());
    const matches = filter ? compileFilter(lowerCased(filter), readTableName) : () => true;
    const found: Table[] = [];
    const turn = new EventLoopTurn(isGone);
    for (const table of await store.listTables(account)) {
      if (found.length > top) break;
      if (lowerAscii(table.name) >= start && matches(table)) found.push(table);
      if (turn.isOver(1)) await turn.next();
    }
    return { kind: 'tables', tables: found.slice(0, top), next: top === 0 ? undefined : found[top] };
  },
};

/**
 * Returns a reader of the one property of a table. Another name is refused with InvalidInput. The service answers it with
 * InternalError, which does not say what is wrong (docs/divergences.md).
 */
function readTableName(property: string) {
  if (property !== 'TableName') throw new TableError('InvalidInput');
  return ({ name }: Table) => ({ type: 'Edm.String', json: writeJsonString(lowerAscii(name)) }) as const;
}

/** Returns a filter with its strings in lower case: names of tables are compared without regard to case. */
function lowerCased(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, operands: filter.operands.map(lowerCased) };
    case 'not':
      return { ...filter, operand: lowerCased(filter.operand) };
    case 'comparison':
      return filter.literal.type === 'Edm.String'
        ? { ...filter, literal: { ...filter.literal, value: lowerAscii(filter.literal.value) } }
        : filter;
    default:
      return filter;
  }
}
