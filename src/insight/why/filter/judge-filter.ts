import { TableError } from '../../../protocol/errors.js';
import type { Filter } from '../../../query/filter/filter.js';
import { parseFilter } from '../../../query/filter/parse-filter.js';
import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';
import { planFilter } from '../../../query/plan/plan-query.js';
import { type CostModel, keyedCosts } from '../../queries/cost-model.js';
import { judgeQuery } from '../../queries/judge-query.js';
import { queryClassWords } from '../../queries/query-classes.js';
import { adviceOf } from '../../rules/rules.js';
import { explainFilter } from './explain-filter.js';
import type { ExplainedFilter, FilterAnswer } from './explained-filter.js';

/** Returns the tree of a `$filter`; undefined for a rejected or empty one. */
export function filterTree(text: string): Filter | undefined {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

/** Explains a decoded `$filter` by the costs of a service. `describe` returns the service's answer to an error. */
export function judgeFilter(
  text: string,
  describe: (error: TableError) => FilterAnswer,
  costs: CostModel = keyedCosts,
): ExplainedFilter {
  try {
    const filter = parseFilter(text);
    const classified = costs.classify(filter);
    const rule = judgeQuery(classified, false);
    return {
      isRejected: false,
      class: classified.class,
      text: queryClassWords[classified.class],
      ranges: writeRanges(filter),
      ...(rule && { rule }),
      ...(rule && filter && { advice: adviceOf(rule) }),
    };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { status, message } = describe(error);
    return { isRejected: true, status, code: error.code, message, ...explainFilter(text, error) };
  }
}

/** Maximum number of ranges in words. (Our choice: nobody reads a longer list.) */
const rangesMax = 20;

/**
 * Describes the key ranges that this server reads for a filter, in order: `PartitionKey = 'p', RowKey >= 'a'`. The cloud may read
 * more, because it scans everything between keys joined by 'or'. A last text counts further ranges.
 */
export function writeRanges(filter: Filter | undefined): readonly string[] {
  const { ranges } = planFilter(filter);
  const shown = ranges.slice(0, rangesMax).map(writeRange);
  return ranges.length > rangesMax ? [...shown, `and ${ranges.length - rangesMax} more`] : shown;
}

function writeRange({ from, to }: KeyRange): string {
  if (!from && !to) return 'the whole table';
  if (from && to && from.partitionKey === to.partitionKey) {
    const partition = `PartitionKey = ${quote(from.partitionKey)}`;
    const isOneRow = from.rowKey !== undefined && from.rowKey === to.rowKey;
    if (isOneRow) return `${partition}, RowKey = ${quote(from.rowKey)}`;
    const rows = boundsOf(
      'RowKey',
      from.rowKey !== undefined ? from : undefined,
      to.rowKey !== undefined ? to : undefined,
    );
    return [partition, ...rows].join(', ');
  }
  return boundsOf('PartitionKey', from, to).join(', ');
}

/** Returns the bounds of one key. A bound within a partition also names the row. */
function boundsOf(
  name: 'PartitionKey' | 'RowKey',
  from: KeyCut | undefined,
  to: KeyCut | undefined,
): readonly string[] {
  const text = ({ partitionKey, rowKey }: KeyCut) => {
    if (name === 'RowKey') return quote(rowKey ?? '');
    return rowKey === undefined ? quote(partitionKey) : `${quote(partitionKey)} with RowKey ${quote(rowKey)}`;
  };
  return [
    ...(from ? [`${name} ${from.side === 'before' ? '>=' : '>'} ${text(from)}`] : []),
    ...(to ? [`${name} ${to.side === 'before' ? '<' : '<='} ${text(to)}`] : []),
  ];
}

function quote(key: string): string {
  return `'${key.replaceAll("'", "''")}'`;
}
