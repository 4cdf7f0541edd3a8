import type { EntityKey } from '../entity/entity.js';
import type { Comparison, Filter } from './filter.js';
import {
  boxAround,
  boxOfComparison,
  everyRow,
  intersectBoxes,
  isEveryRow,
  isOneRange,
  type KeyBox,
  rangeOfBox,
} from './key-box.js';
import { intersectRanges, mergeRanges, startRangesAt } from './key-ranges.js';
import type { KeyRange, QueryPlan } from './plan.js';
import { compileTextTest } from './text-test.js';

/**
 * How many boxes `and` may make of two unions; beyond that it keeps one of them and leaves the rest to the residual
 * filter. Unit: boxes. Ours: two unions of 64 terms, far beyond what clients send.
 */
const boxesOfProductMax = 4096;

/**
 * How many boxes a filter may come to, and with that how many ranges are read for it. Unit: boxes. Ours: as many as a
 * chain of keys can name that fits into a URL.
 */
const boxesMax = 4096;

/** How many pairs of boxes are intersected for one filter. Ours: beyond that a hostile filter takes seconds to plan. */
const productsMax = 16 * boxesOfProductMax;

/** What planning one filter has cost so far. */
interface PlanningCost {
  products: number;
}

/** What a page is asked for beside the filter. */
export interface PageRequest {
  readonly rowsMax: number;
  /** Where an earlier page stopped: the first row at or behind this key comes first. */
  readonly startAt?: EntityKey | undefined;
  /** The only rows the caller may see at all. */
  readonly within?: KeyRange | undefined;
}

/**
 * Plans one page of a query: the ranges to read and, unless these are the answer already, the test for their rows.
 *
 * Source: queries, section 10.
 */
export function planQuery(filter: Filter | undefined, { rowsMax, startAt, within }: PageRequest): QueryPlan {
  const { ranges: planned, exact } = planFilter(filter);
  const allowed = within ? intersectRanges(planned, [within]) : planned;
  const ranges = startAt ? startRangesAt(allowed, startAt) : allowed;
  return {
    ranges,
    rowsMax,
    ...(filter && !exact && { filter, matches: compileTextTest(filter) }),
  };
}

/**
 * The ranges outside which no row can match, disjoint and ascending; none when nothing matches at all.
 *
 * Source: queries, section 10.
 */
export function planRanges(filter: Filter | undefined): readonly KeyRange[] {
  return planFilter(filter).ranges;
}

/** The ranges of a filter, and whether every row within them matches it. */
export interface FilterPlan {
  readonly ranges: readonly KeyRange[];
  readonly exact: boolean;
}

/** Plans a filter alone; without one the whole table is the exact answer. */
export function planFilter(filter: Filter | undefined): FilterPlan {
  const { boxes, exact } = filter ? restrict(filter, { products: 0 }) : everything;
  return { ranges: mergeRanges(boxes.map(rangeOfBox)), exact: exact && boxes.every(isOneRange) };
}

/** Boxes that hold every matching row, and whether they hold no other. */
interface Restriction {
  readonly boxes: readonly KeyBox[];
  readonly exact: boolean;
}

const everything: Restriction = { boxes: [everyRow], exact: true };
const nothing: Restriction = { boxes: [], exact: true };
const unknown: Restriction = { boxes: [everyRow], exact: false };

function restrict(filter: Filter, cost: PlanningCost): Restriction {
  switch (filter.kind) {
    case 'and':
      return restrictByAll(
        filter.operands.map((operand) => restrict(operand, cost)),
        cost,
      );
    case 'or':
      return restrictByAny(filter.operands.map((operand) => restrict(operand, cost)));
    case 'comparison':
      return restrictByComparison(filter);
    case 'constant':
      return filter.value ? everything : nothing;
    case 'not':
    case 'property':
      return unknown;
  }
}

function restrictByComparison({ property, operator, literal }: Comparison): Restriction {
  if (property !== 'PartitionKey' && property !== 'RowKey') return unknown;
  if (literal.type !== 'Edm.String') {
    // Keys are strings: the outcome of a mismatch is the same for every row.
    return operator === 'eq' || operator === 'gt' || operator === 'ge' ? nothing : everything;
  }
  if (operator === 'ne') return unknown;
  const box = boxOfComparison(property, operator, literal.value);
  return box ? { boxes: [box], exact: true } : nothing;
}

/** Smallest first, so that plain comparisons narrow before unions multiply. */
function restrictByAll(restrictions: readonly Restriction[], cost: PlanningCost): Restriction {
  let boxes: readonly KeyBox[] = everything.boxes;
  let exact = true;
  for (const next of restrictions.toSorted((a, b) => a.boxes.length - b.boxes.length)) {
    const products = boxes.length * next.boxes.length;
    if (boxes.length > 1 && next.boxes.length > 1) {
      if (products > boxesOfProductMax || cost.products + products > productsMax) {
        exact = false;
        continue;
      }
      cost.products += products;
    }
    boxes = boxes.flatMap((one) => next.boxes.flatMap((other) => intersectBoxes(one, other) ?? []));
    exact &&= next.exact;
  }
  return boxes.length === 0 ? nothing : { boxes, exact };
}

function restrictByAny(restrictions: readonly Restriction[]): Restriction {
  const boxes = restrictions.flatMap((restriction) => restriction.boxes);
  if (!boxes.some(isEveryRow)) {
    if (boxes.length > boxesMax) return { boxes: [boxAround(boxes)], exact: false };
    return { boxes, exact: restrictions.every(({ exact }) => exact) };
  }
  const whole = restrictions.some((restriction) => restriction.exact && restriction.boxes.some(isEveryRow));
  return whole ? everything : unknown;
}
