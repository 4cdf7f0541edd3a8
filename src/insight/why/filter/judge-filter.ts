import { TableError } from '../../../protocol/errors.js';
import type { Filter } from '../../../query/filter/filter.js';
import { parseFilter } from '../../../query/filter/parse-filter.js';
import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';
import { planFilter } from '../../../query/plan/plan-query.js';
import { classifyQuery } from '../../queries/classify-query.js';
import { judgeQuery } from '../../queries/judge-query.js';
import { queryClassWords } from '../../queries/query-classes.js';
import { adviceOf } from '../../rules/rules.js';
import { explainFilter } from './explain-filter.js';
import type { ExplainedFilter, FilterAnswer } from './explained-filter.js';

/** Returns the tree of a `$filter`, for programs that show it in parts; undefined for one that is rejected or empty. */
export function filterTree(text: string): Filter | undefined {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

/** Explains a `$filter`, decoded. `describe` returns what the service answers to an error. */
export function judgeFilter(text: string, describe: (error: TableError) => FilterAnswer): ExplainedFilter {
  try {
    const filter = parseFilter(text);
    const found = classifyQuery(filter);
    const rule = judgeQuery(found, false);
    return {
      isRejected: false,
      class: found.class,
      text: queryClassWords[found.class],
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

/** How many ranges are written. (Our choice: a longer list is not read.) */
const rangesMax = 20;

/**
 * Returns the ranges of keys that this server reads for a filter, in their order, for people: `PartitionKey = 'p', RowKey >= 'a'`.
 * The cloud may read more: it scans what 'or' joins. A last text tells how many more there are.
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

/** Returns the bounds of one key. A bound of a PartitionKey within a partition names the row, too. */
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
