import type { Comparison, Filter } from '../filter/filter.js';
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
import type { KeyRange, PageStart, QueryPlan } from './plan.js';

/**
 * Maximum number of boxes that `and` may create from two unions. Above it, the planner uses only one of the unions and
 * leaves the other to the residual filter. Unit: boxes. (Our choice: two unions of 64 terms, far more than clients send.)
 */
const boxesOfProductMax = 4096;

/**
 * Maximum number of boxes of a filter, and so of ranges that a query reads. Unit: boxes. (Our choice: as many as the longest
 * URL can name with a chain of keys.)
 */
const boxesMax = 4096;

/** Maximum number of pairs of boxes to intersect for one filter. (Our choice: with more, a hostile filter takes seconds to plan.) */
const productsMax = 16 * boxesOfProductMax;

/** The cost of planning one filter so far. Unit: pairs of boxes. */
interface PlanningCost {
  products: number;
}

/** The bounds of a page, in addition to the filter. */
interface PageRequest {
  readonly rowsMax: number;
  /** Where the page starts. The first row is the one there or the next one after it. */
  readonly startAt?: PageStart | undefined;
  /** The only rows that the caller may see. */
  readonly within?: KeyRange | undefined;
}

/** Plans one page of a query: the ranges to read and, unless all of their rows match, the residual filter. Source: query 10. */
export function planQuery(filter: Filter | undefined, { rowsMax, startAt, within }: PageRequest): QueryPlan {
  const { ranges: planned, exact } = planFilter(filter);
  const allowed = within ? intersectRanges(planned, [within]) : planned;
  const isByPlace = startAt?.place !== undefined;
  const ranges = startAt && !isByPlace ? startRangesAt(allowed, startAt) : allowed;
  return {
    ranges,
    rowsMax,
    ...(isByPlace && { startAt }),
    ...(filter && !exact && { filter }),
  };
}

/** The ranges of a filter. */
interface FilterPlan {
  /** Disjoint and ascending. They contain all matching rows, and are empty if no row can match. */
  readonly ranges: readonly KeyRange[];
  /** Whether every row in the ranges matches. */
  readonly exact: boolean;
}

/** Plans a filter without the bounds of a page. Without a filter, the plan is the whole table and exact. Source: query 10. */
export function planFilter(filter: Filter | undefined): FilterPlan {
  const { boxes, exact } = filter ? restrict(filter, { products: 0 }) : everything;
  return { ranges: mergeRanges(boxes.map(rangeOfBox)), exact: exact && boxes.every(isOneRange) };
}

/** Boxes that contain every matching row. `exact` is true if they contain no other rows. */
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
    // Keys are strings, so the types differ in every row and the result is the same for all of them.
    return operator === 'eq' || operator === 'gt' || operator === 'ge' ? nothing : everything;
  }
  if (operator === 'ne') return unknown;
  const box = boxOfComparison(property, operator, literal.value);
  return box ? { boxes: [box], exact: true } : nothing;
}

/** Intersects restrictions, smallest first, so that single boxes narrow the result before unions multiply it. */
function restrictByAll(restrictions: readonly Restriction[], cost: PlanningCost): Restriction {
  let boxes: readonly KeyBox[] = everything.boxes;
  let exact = true;
  for (const next of restrictions.toSorted((a, b) => a.boxes.length - b.boxes.length)) {
    const products = boxes.length * next.boxes.length;
    if (products > boxesOfProductMax || cost.products + products > productsMax) {
      exact = false;
      continue;
    }
    cost.products += products;
    boxes = boxes === everything.boxes ? next.boxes : intersectAll(boxes, next.boxes);
    exact &&= next.exact;
  }
  return boxes.length === 0 ? nothing : { boxes, exact };
}

/** Intersects each box of one list with each of the other. A loop, because most lists have one box. */
function intersectAll(some: readonly KeyBox[], others: readonly KeyBox[]): readonly KeyBox[] {
  const boxes: KeyBox[] = [];
  for (const one of some) {
    for (const other of others) {
      const common = intersectBoxes(one, other);
      if (common) boxes.push(common);
    }
  }
  return boxes;
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
