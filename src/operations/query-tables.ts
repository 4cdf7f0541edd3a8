import { writeJsonString } from '../entity/json-text.js';
import { declaredOfTable } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';
import { lowerAscii } from '../protocol/names.js';
import { decodeToken, encodeToken } from '../query/continuation-token.js';
import { compileFilter } from '../query/evaluate-filter.js';
import type { Filter } from '../query/filter.js';
import { parseFilter } from '../query/parse-filter.js';
import { checkOptionNames, readTop, refuseUnsupportedOptions } from '../query/query-options.js';
import { EventLoopTurn } from '../store/event-loop-turn.js';
import type { Table } from '../store/store.js';
import type { OperationRequest, StoreOperation } from './operation.js';
import { writeTableRow } from './table-body.js';
import { writePage } from './write-page.js';

/**
 * Query Tables: GET of the table collection, with `$filter` on TableName, `$top` and a continuation token.
 *
 * Answers 200 with a page by lower-cased name, and with a token exactly when another match is left.
 * Errors: InvalidInput, NotImplemented. Source: operations 8.1; query 8; checks-order 4.
 */
export const queryTables: StoreOperation = {
  name: 'Query Tables',
  kind: 'store',

  async run(request, store) {
    const { query, level, isGone } = request;
    const top = readTop(query.get('$top')) ?? pageRowsMax;
    const start = readStart(request);
    checkOptionNames(query.names());
    const filter = parseFilter(query.get('$filter') ?? '', declaredOfTable);
    refuseUnsupportedOptions(query.names());
    const matches = filter ? compileFilter(lowerCased(filter), readTableName) : () => true;
    const found: Table[] = [];
    const turn = new EventLoopTurn(isGone);
    for (const table of await store.listTables(request.account)) {
      if (found.length > top) break;
      if (lowerAscii(table.name) >= start && matches(table)) found.push(table);
      if (turn.isOver(1)) await turn.next();
    }
    const next = top === 0 ? undefined : found[top];
    const context = writeJsonString(`${request.base}/$metadata#Tables`);
    const rows = found.slice(0, top).map(({ name }) => name);
    return {
      status: 200,
      json: await writePage({ level, context, rows, writeRow: (name) => writeTableRow(request, name), isGone }),
      ...(next && { continuation: ['x-ms-continuation-NextTableName', encodeToken(tokenText(next))] }),
    };
  },
};

/** Lower-cased name, one byte, and the creation time. Source: recordings-facts 5. */
function tokenText({ name, created }: Table): string {
  return `${lowerAscii(name)}\u0001${created}`;
}

/** The name the walk goes on at; the time behind it is not looked at. */
function readStart({ query }: OperationRequest): string {
  const token = query.get('NextTableName');
  return token === undefined ? '' : lowerAscii(decodeToken(token).split('\u0001', 1)[0] ?? '');
}

/**
 * Reads the one property a table has. Another name is refused: the service fails on it with InternalError, which
 * would tell nobody what is wrong (docs/divergences.md).
 */
function readTableName(property: string) {
  if (property !== 'TableName') throw new TableError('InvalidInput');
  return ({ name }: Table) => ({ type: 'Edm.String', json: writeJsonString(lowerAscii(name)) }) as const;
}

/** Names are unique and sorted without regard to case, so they are compared so too. */
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
