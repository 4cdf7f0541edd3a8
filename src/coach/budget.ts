import type { Blamed, BudgetMetric, CoachNumbers } from './budget-metrics.js';

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
}

/** Compares numbers with a budget. */
export function checkBudget(limits: readonly BudgetLimit[], numbers: CoachNumbers): readonly BudgetLine[] {
  return limits.map(({ metric, bound, allowed }) => {
    const actual = metric.measure(numbers);
    const isBroken = bound === 'most' ? actual > allowed : actual < allowed;
    const { name, counts } = metric;
    return { name, counts, bound, allowed, actual, isBroken, blamed: isBroken ? metric.blame(numbers) : undefined };
  });
}
