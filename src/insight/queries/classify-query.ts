import { type Comparison, type Filter, propertiesOf } from '../../query/filter/filter.js';
import {
  boxOfComparison,
  everyRow,
  intersectBoxes,
  isEveryString,
  isOneString,
  type KeyBox,
  rangeOfBox,
} from '../../query/plan/key-box.js';
import type { KeyRange } from '../../query/plan/plan.js';
import { type QueryClass, type QueryFlag, queryClassNames } from './query-classes.js';

/** The cost of a query in the cloud, judged by its filter. */
export interface Classification {
  readonly class: QueryClass;
  readonly flags: readonly QueryFlag[];
  /** The range that the cloud reads; undefined if it reads none. */
  readonly reads: KeyRange | undefined;
}

/**
 * Classifies a query by the range that the cloud reads for its filter. The planner of this server differs: it reads keys joined by
 * `or` as separate ranges, while the cloud scans everything in between.
 *
 * Source: Table design guide, "How your choice of PartitionKey and RowKey affects query performance".
 */
export function classifyQuery(filter: Filter | undefined): Classification {
  const scope = filter ? scopeOf(filter) : everything;
  // Of keys joined by `or`, the cloud uses only their common partition.
  const box = scope?.halves ? { ...scope.box, rows: everyRow.rows } : scope?.box;
  const name = box ? classOf(widthOf(box)) : 'none';
  const flags: QueryFlag[] = [];
  if (scope?.halves && isCheaper(classOf(halvesOf(scope)), name)) flags.push('or-keys');
  if (filter && hasUnequalKey(filter)) flags.push('ne-keys');
  if (filter && hasNegatedKey(filter)) flags.push('not-keys');
  if (filter && hasKeyOfOtherType(filter)) flags.push('key-type');
  const flag = name === 'none' ? undefined : flagOfNames(filter && propertiesOf(filter));
  const isTold = flag === 'residual' && (flags.length > 0 || !name.startsWith('partition-'));
  if (flag && !isTold) flags.push(flag);
  return { class: name, flags, reads: box && rangeOfBox(box) };
}

/** How many values of a key a filter allows. */
const widths = { one: 0, range: 1, every: 2 } as const;

interface Width {
  readonly partitions: number;
  readonly rows: number;
}

function widthOf({ partitions, rows }: KeyBox): Width {
  const widthOfInterval = (interval: KeyBox['rows']) =>
    isEveryString(interval) ? widths.every : isOneString(interval) ? widths.one : widths.range;
  return { partitions: widthOfInterval(partitions), rows: widthOfInterval(rows) };
}

function narrower(a: Width, b: Width): Width {
  return { partitions: Math.min(a.partitions, b.partitions), rows: Math.min(a.rows, b.rows) };
}

function wider(a: Width, b: Width): Width {
  return { partitions: Math.max(a.partitions, b.partitions), rows: Math.max(a.rows, b.rows) };
}

function classOf({ partitions, rows }: Width): QueryClass {
  if (partitions === widths.every) return 'table-scan';
  if (partitions === widths.range) return 'partition-range';
  if (rows === widths.every) return 'partition-scan';
  return rows === widths.one ? 'point' : 'row-range';
}

function isCheaper(a: QueryClass, b: QueryClass): boolean {
  return queryClassNames.indexOf(a) < queryClassNames.indexOf(b);
}

/** The keys that a filter allows, as the cloud uses them; undefined if it allows none. */
type Scope = SomeKeys | undefined;

interface SomeKeys {
  readonly box: KeyBox;
  /**
   * The widest keys among the operands of an `or` over keys, as if each were a query; undefined if no keys are joined. If one
   * operand reads as much as all together, the `or` costs nothing.
   */
  readonly halves: Width | undefined;
}

const everything: SomeKeys = { box: everyRow, halves: undefined };

/** Returns the widest keys among the queries after splitting a filter. */
function halvesOf({ box, halves }: SomeKeys): Width {
  const width = widthOf(box);
  return halves ? narrower(halves, width) : width;
}

function scopeOf(filter: Filter): Scope {
  switch (filter.kind) {
    case 'and':
      return scopeOfAll(filter.operands);
    case 'or':
      return scopeOfAny(filter.operands);
    case 'comparison':
      return scopeOfComparison(filter);
    case 'constant':
      return filter.value ? everything : undefined;
    case 'not':
    case 'property':
      return everything;
  }
}

function scopeOfComparison({ property, operator, literal }: Comparison): Scope {
  if (!isKey(property)) return everything;
  if (literal.type !== 'Edm.String') {
    // Keys are strings, and different types satisfy only `ne`, `lt` and `le`.
    return operator === 'eq' || operator === 'gt' || operator === 'ge' ? undefined : everything;
  }
  if (operator === 'ne') return everything;
  const box = boxOfComparison(property, operator, literal.value);
  return box && { box, halves: undefined };
}

function scopeOfAll(operands: readonly Filter[]): Scope {
  let scope: Scope = everything;
  for (const operand of operands) scope = both(scope, scopeOf(operand));
  return scope;
}

function both(a: Scope, b: Scope): Scope {
  if (a === everything) return b;
  if (b === everything) return a;
  const box = a && b && intersectBoxes(a.box, b.box);
  return box && { box, halves: a.halves || b.halves ? narrower(halvesOf(a), halvesOf(b)) : undefined };
}

function scopeOfAny(operands: readonly Filter[]): Scope {
  // Unsatisfiable operands do not count.
  const scopes = operands.flatMap((operand) => {
    const scope = scopeOf(operand);
    return scope ? [{ operand, scope }] : [];
  });
  const [first, ...others] = scopes;
  if (!first || others.length === 0) return first?.scope;
  if (!scopes.some(({ operand }) => namesKey(operand))) return everything;
  const { partitions } = first.scope.box;
  const isOnePartition =
    isOneString(partitions) && others.every(({ scope }) => isSame(scope.box.partitions, partitions));
  return {
    box: isOnePartition ? { ...everyRow, partitions } : everyRow,
    halves: scopes.map(({ scope }) => halvesOf(scope)).reduce(wider),
  };
}

function isSame(a: KeyBox['partitions'], b: KeyBox['partitions']): boolean {
  return isOneString(a) && a.from.text === b.from.text;
}

function isKey(name: string): name is 'PartitionKey' | 'RowKey' {
  return name === 'PartitionKey' || name === 'RowKey';
}

function namesKey(filter: Filter): boolean {
  const names = propertiesOf(filter);
  return names.has('PartitionKey') || names.has('RowKey');
}

/** Returns the flag for the property names in a filter, if any. Without names there is no filter. */
function flagOfNames(names: ReadonlySet<string> | undefined): QueryFlag | undefined {
  if (!names) return 'unfiltered';
  // The other properties are compared in each entity of the partition.
  if (names.has('PartitionKey')) return names.size > 1 ? 'residual' : undefined;
  if (names.size === 0) return undefined;
  if (names.has('RowKey')) return 'rowkey-only';
  return names.size === 1 && names.has('Timestamp') ? 'timestamp-only' : 'properties-only';
}

function hasUnequalKey(filter: Filter): boolean {
  if (filter.kind === 'comparison') return filter.operator === 'ne' && isKey(filter.property);
  if (filter.kind === 'not') return hasUnequalKey(filter.operand);
  return 'operands' in filter && filter.operands.some(hasUnequalKey);
}

function hasKeyOfOtherType(filter: Filter): boolean {
  if (filter.kind === 'comparison') return isKey(filter.property) && filter.literal.type !== 'Edm.String';
  if (filter.kind === 'not') return hasKeyOfOtherType(filter.operand);
  return 'operands' in filter && filter.operands.some(hasKeyOfOtherType);
}

function hasNegatedKey(filter: Filter): boolean {
  if (filter.kind === 'not') return namesKey(filter.operand);
  return 'operands' in filter && filter.operands.some(hasNegatedKey);
}

/** Returns the number of comparisons in a filter. */
export function countComparisons(filter: Filter): number {
  if (filter.kind === 'comparison') return 1;
  if (filter.kind === 'not') return countComparisons(filter.operand);
  return 'operands' in filter ? filter.operands.reduce((sum, operand) => sum + countComparisons(operand), 0) : 0;
}
