import type { Finding } from '../finding.js';
import type { QueryFlag } from '../queries/query-classes.js';
import { type RuleId, ruleIds } from '../rules.js';
import type { ShapeUsage } from '../shapes/query-shapes.js';
import type { Usage } from '../usage.js';

/** What a budget is measured by. */
export interface CoachNumbers {
  readonly usage: Pick<Usage, 'transactions' | 'scanned' | 'returned'>;
  readonly queries: readonly ShapeUsage[];
  readonly findings: readonly Finding[];
}

/** The query or finding that has most of a metric. */
export type Blamed = Pick<ShapeUsage, 'shape' | 'table' | 'firstRequest' | 'marks'> & { readonly count: number };

/** A number that a budget may limit. */
export interface BudgetMetric {
  readonly name: string;
  /** What it counts. */
  readonly counts: string;
  /**
   * The rules that find what it counts. A query is left out of it only if their findings about the query are accepted. The first
   * is the one to accept for a query that none of them finds, such as a small table that is read once.
   */
  readonly rules: readonly RuleId[];
  /** Returns how many calls of a query it counts. Absent if it does not count queries. */
  callsOf?(query: ShapeUsage): number;
  measure(numbers: CoachNumbers): number;
  /** Returns what to look at first; undefined if nothing stands out. */
  blame(numbers: CoachNumbers): Blamed | undefined;
}

/** Counts queries whose shape is meant. Pages of one query count once. */
function queries(
  name: string,
  counts: string,
  rules: readonly RuleId[],
  callsOf: (shape: ShapeUsage) => number,
): BudgetMetric {
  return {
    ...{ name, counts, rules, callsOf },
    measure: (numbers) => numbers.queries.reduce((sum, shape) => sum + callsOf(shape), 0),
    blame: (numbers) => mostOf(numbers.queries, callsOf),
  };
}

function flagged(flag: QueryFlag, counts: string, rule: RuleId): BudgetMetric {
  return queries(flag, counts, [rule], ({ flags, calls }) => (flags.includes(flag) ? calls : 0));
}

function findings(name: string, counts: string, isMeant: (finding: Finding) => boolean): BudgetMetric {
  return {
    ...{ name, counts, rules: [] },
    measure: (numbers) => numbers.findings.filter(isMeant).length,
    blame: (numbers) => {
      const first = numbers.findings.find(isMeant);
      return first && { ...first, count: first.calls };
    },
  };
}

function total(name: string, counts: string, measure: BudgetMetric['measure']): BudgetMetric {
  return {
    ...{ name, counts, rules: readingRules, measure },
    blame: (numbers) => mostOf(numbers.queries, ({ read, returned }) => read - returned),
  };
}

/** The rules about how a filter uses the keys of a table or a partition, so that more is read. */
const keyRules = ['R3', 'R4'] as const;
const tableRules = ['R1', ...keyRules, 'R5', 'R24'] as const;
const partitionRules = ['R2', ...keyRules, 'R11'] as const;
/** The rules about what queries read. */
const readingRules: readonly RuleId[] = [...new Set([...tableRules, ...partitionRules])];

/** All metrics. Entities and transactions are counted as this server sees them; the cloud reads more for keys joined by `or`. */
export const budgetMetrics: readonly BudgetMetric[] = [
  queries('table-scan', 'queries that read a whole table', tableRules, (shape) => callsOfClass(shape, 'table-scan')),
  queries('partition-range', 'queries that read a range of partitions', ['R2', ...keyRules], (shape) =>
    callsOfClass(shape, 'partition-range'),
  ),
  queries(
    'partition-scan',
    'queries of a partition that read more than they return, without $top',
    partitionRules,
    (shape) => (shape.class === 'partition-scan' && !shape.hasTop ? shape.sparseCalls : 0),
  ),
  flagged('or-keys', "queries whose keys are joined by 'or'", 'R3'),
  flagged('ne-keys', "queries with 'ne' on a key", 'R4'),
  flagged('not-keys', "queries with 'not' around a key", 'R4'),
  flagged('rowkey-only', 'queries with a RowKey and no PartitionKey', 'R5'),
  flagged('timestamp-only', 'queries by Timestamp alone', 'R24'),
  flagged('properties-only', 'queries by properties that are not keys', 'R1'),
  flagged('unfiltered', 'queries without a filter', 'R1'),
  findings('n+1', 'findings of R8 that warn', ({ rule, severity }) => rule === 'R8' && severity !== 'info'),
  total('transactions', 'requests', ({ usage }) => usage.transactions),
  total('scanned', 'entities read', ({ usage }) => usage.scanned),
  total('density', 'entities returned for each that is read; 1 if none is', ({ usage: { scanned, returned } }) =>
    scanned === 0 ? 1 : returned / scanned,
  ),
  findings('findings', 'findings that are serious or warn', ({ severity }) => severity !== 'info'),
  findings('findings.serious', 'serious findings', ({ severity }) => severity === 'serious'),
  findings('findings.warn', 'findings that warn', ({ severity }) => severity === 'warn'),
  findings('findings.info', 'findings that are hints', ({ severity }) => severity === 'info'),
  ...ruleIds.map((id) => findings(id, `findings of ${id}`, ({ rule }) => rule === id)),
];

/** Returns whether a rule is the one to accept for a query that limits count, even if the rule does not find it. */
export function isCountedFor(rule: string, query: ShapeUsage): boolean {
  return budgetMetrics.some(
    ({ rules: [first], callsOf }) => first === rule && callsOf !== undefined && callsOf(query) > 0,
  );
}

function callsOfClass(shape: ShapeUsage, name: ShapeUsage['class']): number {
  return shape.class === name ? shape.calls : 0;
}

function mostOf(shapes: readonly ShapeUsage[], countOf: (shape: ShapeUsage) => number): Blamed | undefined {
  const [most] = shapes.map((shape) => ({ ...shape, count: countOf(shape) })).sort((a, b) => b.count - a.count);
  return most && most.count > 0 ? most : undefined;
}
