import { writeJsonString } from '../../entity/stored/json-text.js';
import { pageRowsMax } from '../../protocol/limits.js';
import { declaredOfTable } from '../../protocol/values/edm.js';
import { compileFilter } from '../../query/filter/evaluate-filter.js';
import type { Filter } from '../../query/filter/filter.js';
import { parseFilter } from '../../query/filter/parse-filter.js';
import { checkOptionNames, invalidOption, refuseUnsupportedOptions } from '../../query/query-options.js';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import type { Table } from '../../store/store.js';
import type { StoreOperation } from '../operation.js';

/**
 * Query Tables: GET of the table collection, with `$filter` on TableName, `$top` and a continuation token.
 *
 * Answers with a page in the order of their places, and with the next match if there is one.
 * Errors: InvalidInput, NotImplemented. Source: operations 8.1; query 8; checks-order 4.
 */
export const queryTables: StoreOperation = {
  name: 'Query Tables',
  kind: 'store',

  async run({ account, query, rules, isGone }, store) {
    const top = rules.readTop(query.get('$top')) ?? pageRowsMax;
    const start = rules.readTableStart(query) ?? '';
    checkOptionNames(query.names());
    const filter = parseFilter(query.get('$filter') ?? '', declaredOfTable);
    refuseUnsupportedOptions(query.names());
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
 * Returns a function that makes readers of the one property of a table. Another name is refused with InvalidInput. The service answers it with
 * InternalError, which does not say what is wrong (docs/divergences.md).
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
