import type { Comparison, ComparisonOperator, Filter } from '../../query/filter/filter.js';
import { printFilter } from '../../query/filter/print-filter.js';
import { classifyQuery } from './classify-query.js';
import { type QueryClass, queryClassNames } from './query-classes.js';

/** Maximum number of queries in place of one. (Our choice: a longer list is not advice.) */
const queriesMax = 8;

/**
 * Returns cheaper filters that together find the same entities: keys joined by `or`, or excluded by `ne` or `not`, become separate
 * queries. Empty if that does not help.
 */
export function rewriteFilter(filter: Filter): readonly string[] {
  const parts = split(filter, false);
  if (!parts || parts.length < 2) return [];
  const before = rankOf(filter);
  return parts.every((part) => rankOf(part) < before) ? parts.map(printFilter) : [];
}

/** Returns the rank of a filter's class, the cheapest first. */
function rankOf(filter: Filter): number {
  const name: QueryClass = classifyQuery(filter).class;
  return queryClassNames.indexOf(name);
}

/** Splits a filter, or its negation, into filters whose union matches the same rows. Undefined if they are too many. */
function split(filter: Filter, isNegated: boolean): readonly Filter[] | undefined {
  if (!namesKey(filter)) return [isNegated ? { kind: 'not', operand: filter } : filter];
  switch (filter.kind) {
    case 'not':
      return split(filter.operand, !isNegated);
    case 'comparison':
      return splitComparison(isNegated ? negate(filter) : filter);
    case 'and':
    case 'or':
      return (filter.kind === 'or') === isNegated ? every(filter.operands, isNegated) : any(filter.operands, isNegated);
    default:
      return [filter];
  }
}

function any(operands: readonly Filter[], isNegated: boolean): readonly Filter[] | undefined {
  const parts: Filter[] = [];
  for (const operand of operands) {
    const found = split(operand, isNegated);
    if (!found || parts.length + found.length > queriesMax) return undefined;
    parts.push(...found);
  }
  return parts;
}

function every(operands: readonly Filter[], isNegated: boolean): readonly Filter[] | undefined {
  let parts: readonly (readonly Filter[])[] = [[]];
  for (const operand of operands) {
    const found = split(operand, isNegated);
    if (!found || parts.length * found.length > queriesMax) return undefined;
    parts = parts.flatMap((before) => found.map((one) => [...before, ...(one.kind === 'and' ? one.operands : [one])]));
  }
  return parts.map((all) => ({ kind: 'and', operands: all }));
}

/** Every row has its keys, which are strings, so it satisfies either a comparison or its opposite. */
function negate(comparison: Comparison): Comparison {
  return { ...comparison, operator: opposites[comparison.operator] };
}

const opposites: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  le: 'gt',
  ge: 'lt',
  lt: 'ge',
};

function splitComparison(comparison: Comparison): readonly Filter[] {
  if (comparison.operator !== 'ne') return [comparison];
  return [
    { ...comparison, operator: 'lt' },
    { ...comparison, operator: 'gt' },
  ];
}

function namesKey(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.some(namesKey);
    case 'not':
      return namesKey(filter.operand);
    case 'comparison':
      // A comparison of a key with another type matches every row or none.
      return /^(?:Partition|Row)Key$/.test(filter.property) && filter.literal.type === 'Edm.String';
    default:
      return false;
  }
}
