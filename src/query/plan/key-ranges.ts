import type { EntityKey } from '../../entity/stored/entity.js';
import type { KeyCut, KeyRange } from './plan.js';

/** Compares the positions of two cuts: negative if `a` is before `b`, zero if they are equal, otherwise positive. */
export function compareCuts(a: KeyCut, b: KeyCut): number {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  const depthA = placeInPartition(a);
  const depthB = placeInPartition(b);
  if (depthA !== depthB) return depthA - depthB;
  if (a.rowKey === undefined || b.rowKey === undefined) return 0;
  if (a.rowKey !== b.rowKey) return a.rowKey < b.rowKey ? -1 : 1;
  return side(a) - side(b);
}

/** Returns -1 for a cut before all rows of its partition, 1 for one after all of them, and 0 for one at a row. */
function placeInPartition(cut: KeyCut): number {
  return cut.rowKey === undefined ? side(cut) : 0;
}

function side(cut: KeyCut): number {
  return cut.side === 'before' ? -1 : 1;
}

/** Returns the rows that are in both lists. The ranges of each list, and of the result, are disjoint and ascending. */
export function intersectRanges(a: readonly KeyRange[], b: readonly KeyRange[]): readonly KeyRange[] {
  const ranges: KeyRange[] = [];
  let [atA, atB] = [0, 0];
  for (;;) {
    const one = a[atA];
    const other = b[atB];
    if (!one || !other) return ranges;
    const from = laterFrom(one.from, other.from);
    const oneEndsFirst = endsFirst(one.to, other.to);
    const to = oneEndsFirst ? one.to : other.to;
    if (!from || !to || compareCuts(from, to) < 0) ranges.push(rangeOf(from, to));
    if (oneEndsFirst) atA++;
    else atB++;
  }
}

/** Returns whether a row is within a range. Without a range, every row is. */
export function isWithin(range: KeyRange | undefined, partitionKey: string, rowKey: string): boolean {
  if (!range) return true;
  const { from, to } = range;
  if (from && compareCuts({ partitionKey, rowKey, side: 'before' }, from) < 0) return false;
  return !to || compareCuts({ partitionKey, rowKey, side: 'after' }, to) <= 0;
}

/** Returns the part of the ranges at or after a key. A query that continues at this key reads these. */
export function startRangesAt(ranges: readonly KeyRange[], { partitionKey, rowKey }: EntityKey): readonly KeyRange[] {
  return intersectRanges(ranges, [{ from: { partitionKey, rowKey, side: 'before' } }]);
}

/** Returns the same rows as disjoint, ascending ranges. Ranges that overlap or touch are merged. */
export function mergeRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
  if (ranges.length === 1) return ranges;
  const merged: KeyRange[] = [];
  for (const range of ranges.toSorted((a, b) => compareFroms(a.from, b.from))) {
    const last = merged.at(-1);
    if (last && (!last.to || !range.from || compareCuts(range.from, last.to) <= 0)) {
      merged[merged.length - 1] = rangeOf(last.from, endsFirst(last.to, range.to) ? range.to : last.to);
    } else {
      merged.push(range);
    }
  }
  return merged;
}

/** Returns a range with these cuts. A cut that is undefined is left out. */
export function rangeOf(from: KeyCut | undefined, to: KeyCut | undefined): KeyRange {
  if (from && to) return { from, to };
  return from ? { from } : to ? { to } : {};
}

function compareFroms(a: KeyCut | undefined, b: KeyCut | undefined): number {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  return compareCuts(a, b);
}

function laterFrom(a: KeyCut | undefined, b: KeyCut | undefined): KeyCut | undefined {
  return compareFroms(a, b) >= 0 ? a : b;
}

/** Returns whether a range that ends at `a` ends at or before one that ends at `b`. */
function endsFirst(a: KeyCut | undefined, b: KeyCut | undefined): boolean {
  if (!a) return !b;
  return !b || compareCuts(a, b) <= 0;
}

/** Returns the keys of ranges that have one key each, or undefined if a range can have more. */
export function singleKeys(ranges: readonly KeyRange[]): readonly EntityKey[] | undefined {
  const keys: EntityKey[] = [];
  for (const { from, to } of ranges) {
    if (from?.rowKey === undefined || from.rowKey !== to?.rowKey || from.partitionKey !== to.partitionKey)
      return undefined;
    keys.push({ partitionKey: from.partitionKey, rowKey: from.rowKey });
  }
  return keys;
}

/** Returns the PartitionKey that all rows of ranges have, or undefined if they can have more than one. */
export function onlyPartition(ranges: readonly KeyRange[]): string | undefined {
  const wanted = ranges[0]?.from?.partitionKey;
  const isOnly = ranges.every(({ from, to }) => from?.partitionKey === wanted && to?.partitionKey === wanted);
  return isOnly ? wanted : undefined;
}
