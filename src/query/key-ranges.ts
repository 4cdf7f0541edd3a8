import type { EntityKey } from '../entity/entity.js';
import type { KeyCut, KeyRange } from './plan.js';

/** Negative where `a` comes before `b` among the rows, zero where they are the same cut, else positive. */
export function compareCuts(a: KeyCut, b: KeyCut): number {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  const depthA = placeInPartition(a);
  const depthB = placeInPartition(b);
  if (depthA !== depthB) return depthA - depthB;
  if (a.rowKey === undefined || b.rowKey === undefined) return 0;
  if (a.rowKey !== b.rowKey) return a.rowKey < b.rowKey ? -1 : 1;
  return side(a) - side(b);
}

/** Before all rows of the partition, among them, or after all of them. */
function placeInPartition(cut: KeyCut): number {
  return cut.rowKey === undefined ? side(cut) : 0;
}

function side(cut: KeyCut): number {
  return cut.side === 'before' ? -1 : 1;
}

/** The rows that are in a range of both lists. Each must be disjoint and ascending, as the answer is. */
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

/** Returns whether a row lies within a range; without a range every row does. */
export function isWithin(range: KeyRange | undefined, partitionKey: string, rowKey: string): boolean {
  if (!range) return true;
  const { from, to } = range;
  if (from && compareCuts({ partitionKey, rowKey, side: 'before' }, from) < 0) return false;
  return !to || compareCuts({ partitionKey, rowKey, side: 'after' }, to) <= 0;
}

/** What a walk still has before it when it goes on at `key`: the row there, if any, and all behind it. */
export function startRangesAt(ranges: readonly KeyRange[], { partitionKey, rowKey }: EntityKey): readonly KeyRange[] {
  return intersectRanges(ranges, [{ from: { partitionKey, rowKey, side: 'before' } }]);
}

/** The same rows as ranges that are disjoint and ascending; those that touch become one. */
export function mergeRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
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

/** A range with only the cuts there are. */
export function rangeOf(from: KeyCut | undefined, to: KeyCut | undefined): KeyRange {
  return { ...(from && { from }), ...(to && { to }) };
}

function compareFroms(a: KeyCut | undefined, b: KeyCut | undefined): number {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  return compareCuts(a, b);
}

function laterFrom(a: KeyCut | undefined, b: KeyCut | undefined): KeyCut | undefined {
  return compareFroms(a, b) >= 0 ? a : b;
}

/** Whether a range that ends at `a` ends no later than one that ends at `b`. */
function endsFirst(a: KeyCut | undefined, b: KeyCut | undefined): boolean {
  if (!a) return !b;
  return !b || compareCuts(a, b) <= 0;
}
