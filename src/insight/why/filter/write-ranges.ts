import type { Filter } from '../../../query/filter/filter.js';
import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';
import { planFilter } from '../../../query/plan/plan-query.js';

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
