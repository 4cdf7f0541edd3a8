import type { Finding } from '../finding.js';
import type { ShapeUsage } from '../shapes/query-shapes.js';
import type { Blamed, BudgetMetric, CoachNumbers } from './budget-metrics.js';
import { stemOf } from './same-findings.js';
import { isAbout, type Suppression } from './suppressions.js';

/** One limit of a budget. */
export interface BudgetLimit {
  readonly metric: BudgetMetric;
  /** Whether the number is the most or the least that is allowed. */
  readonly bound: 'most' | 'least';
  readonly allowed: number;
}

/** What became of one limit. */
export interface BudgetLine {
  readonly name: string;
  readonly counts: string;
  readonly bound: 'most' | 'least';
  readonly allowed: number;
  readonly actual: number;
  readonly isBroken: boolean;
  /** What to look at first; undefined if the limit holds, or nothing stands out. */
  readonly blamed: Blamed | undefined;
  /** What to say instead of the numbers. */
  readonly sentence?: string;
}

/**
 * Compares numbers with a budget. `accepted` are findings that the numbers do not have. A limit leaves out a query if findings
 * of the rules of its metric are about it, and all of these are accepted. Without such a finding, it leaves the query out if a
 * suppression of the first of these rules is about it, so that whatever a limit counts can be accepted.
 */
export function checkBudget(
  limits: readonly BudgetLimit[],
  all: CoachNumbers,
  accepted: readonly Finding[],
  suppressions: readonly Suppression[],
): readonly BudgetLine[] {
  return limits.map(({ metric, bound, allowed }) => {
    const shapesOf = (findings: readonly Finding[]) =>
      new Set(findings.filter(({ rule }) => metric.rules.includes(rule)).map(({ shape }) => stemOf(shape)));
    const open = shapesOf(all.findings);
    const settled = shapesOf(accepted);
    const isAccepted = (query: ShapeUsage) =>
      !open.has(stemOf(query.shape)) &&
      (settled.has(stemOf(query.shape)) ||
        suppressions.some((one) => one.rule === metric.rules[0] && isAbout(one, query)));
    const numbers = { ...all, queries: all.queries.filter((query) => !isAccepted(query)) };
    const actual = metric.measure(numbers);
    const isBroken = bound === 'most' ? actual > allowed : actual < allowed;
    const { name, counts } = metric;
    return { name, counts, bound, allowed, actual, isBroken, blamed: isBroken ? metric.blame(numbers) : undefined };
  });
}
