import type { ComparisonOperator } from '../filter/filter.js';
import { rangeOf } from './key-ranges.js';
import type { KeyCut, KeyRange } from './plan.js';

/** A position in the order of all strings, immediately before or after one. The empty string is the first. */
interface Cut {
  readonly text: string;
  readonly side: 'before' | 'after';
}

/** The strings between two cuts, or all strings after `from` if `to` is absent. */
interface Interval {
  readonly from: Cut;
  readonly to?: Cut;
}

/**
 * The rows whose PartitionKey is in one interval and whose RowKey is in another. Comparisons of keys joined by `and`
 * select a box. Unlike a range, a box can restrict the RowKey without the PartitionKey, until `and` adds that.
 */
export interface KeyBox {
  readonly partitions: Interval;
  readonly rows: Interval;
}

const first: Cut = { text: '', side: 'before' };
const everyString: Interval = { from: first };

/** The whole table. */
export const everyRow: KeyBox = { partitions: everyString, rows: everyString };

/** Returns the rows that satisfy one comparison of a key with a string, or undefined if no row can. `ne` does not select a box. */
export function boxOfComparison(
  key: 'PartitionKey' | 'RowKey',
  operator: Exclude<ComparisonOperator, 'ne'>,
  text: string,
): KeyBox | undefined {
  const interval = intervalOf(operator, text);
  if (isEmpty(interval)) return undefined;
  return key === 'PartitionKey'
    ? { partitions: interval, rows: everyString }
    : { partitions: everyString, rows: interval };
}

function intervalOf(operator: Exclude<ComparisonOperator, 'ne'>, text: string): Interval {
  const before: Cut = { text, side: 'before' };
  const after: Cut = { text, side: 'after' };
  switch (operator) {
    case 'eq':
      return { from: before, to: after };
    case 'gt':
      return { from: after };
    case 'ge':
      return { from: before };
    case 'lt':
      return { from: first, to: before };
    case 'le':
      return { from: first, to: after };
  }
}

/** Returns the rows that are in both boxes, or undefined if there are none. */
export function intersectBoxes(a: KeyBox, b: KeyBox): KeyBox | undefined {
  const partitions = intersectIntervals(a.partitions, b.partitions);
  const rows = intersectIntervals(a.rows, b.rows);
  return isEmpty(partitions) || isEmpty(rows) ? undefined : { partitions, rows };
}

function intersectIntervals(a: Interval, b: Interval): Interval {
  const from = compare(a.from, b.from) >= 0 ? a.from : b.from;
  const to = a.to && b.to ? (compare(a.to, b.to) <= 0 ? a.to : b.to) : (a.to ?? b.to);
  return to ? { from, to } : { from };
}

/** Returns all rows from the first partition to the last partition of one or more boxes. */
export function boxAround(boxes: readonly KeyBox[]): KeyBox {
  let { from, to } = boxes[0]?.partitions ?? everyString;
  for (const { partitions } of boxes) {
    if (compare(partitions.from, from) < 0) from = partitions.from;
    if (!partitions.to || (to && compare(partitions.to, to) > 0)) to = partitions.to;
  }
  return { ...everyRow, partitions: to ? { from, to } : { from } };
}

/** Returns whether a box is the whole table. */
export function isEveryRow({ partitions, rows }: KeyBox): boolean {
  return isEveryString(partitions) && isEveryString(rows);
}

/** Returns whether an interval contains every string. */
export function isEveryString({ from, to }: Interval): boolean {
  return to === undefined && compare(from, first) === 0;
}

/**
 * Returns whether a box is exactly one range of rows. If it restricts the RowKey in more than one partition, it is not,
 * because its rows are not contiguous.
 */
export function isOneRange({ partitions, rows }: KeyBox): boolean {
  return isEveryString(rows) || isOneString(partitions);
}

/** Returns a range that contains a box: the box itself if it is one range, otherwise all rows of its partitions. */
export function rangeOfBox({ partitions, rows }: KeyBox): KeyRange {
  if (isOneString(partitions)) {
    const partitionKey = partitions.from.text;
    const from = compare(rows.from, first) === 0 ? undefined : rows.from;
    return { from: cutInPartition(partitionKey, from, 'before'), to: cutInPartition(partitionKey, rows.to, 'after') };
  }
  const { from, to } = partitions;
  return rangeOf(
    compare(from, first) === 0 ? undefined : { partitionKey: from.text, side: from.side },
    to && { partitionKey: to.text, side: to.side },
  );
}

function cutInPartition(partitionKey: string, cut: Cut | undefined, edge: 'before' | 'after'): KeyCut {
  return cut ? { partitionKey, rowKey: cut.text, side: cut.side } : { partitionKey, side: edge };
}

/** Returns whether a non-empty interval contains exactly one string. */
export function isOneString({ from, to }: Interval): boolean {
  return to !== undefined && from.text === to.text;
}

function isEmpty({ from, to }: Interval): boolean {
  return to !== undefined && compare(from, to) >= 0;
}

function compare(a: Cut, b: Cut): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return a.side === b.side ? 0 : a.side === 'before' ? -1 : 1;
}
