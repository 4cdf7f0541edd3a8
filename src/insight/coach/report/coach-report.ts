import { type Accepted, type DividedFindings, divideFindings } from '../budget/accepted.js';
import { type BudgetLine, checkBudget, type Limit, type RunUsage } from '../budget/budget.js';
import type { Finding } from '../finding.js';

/** The rules for judging a run. */
export interface RunRules {
  readonly limits: readonly Limit[];
  readonly accepted: readonly Accepted[];
}

/** The counts of a run. */
export interface RunNumbers {
  readonly usage: RunUsage;
  readonly findings: readonly Finding[];
  readonly skippedRequests: number;
  readonly forgottenShapes: number;
}

/** The judgement of a run. `findings` are those that nobody accepts. */
export interface CoachReport extends DividedFindings {
  readonly budget: readonly BudgetLine[];
  readonly isBroken: boolean;
  readonly usage: RunUsage;
  /** The gaps in the numbers, in sentences; empty if they are complete. */
  readonly gaps: readonly string[];
}

/** Judges a run by its budget and the accepted findings. */
export function judgeRun(numbers: RunNumbers, { limits, accepted }: RunRules): CoachReport {
  const divided = divideFindings(numbers.findings, accepted);
  const budget = checkBudget(limits, divided.findings, numbers.usage);
  const isBroken = budget.some((line) => line.isBroken);
  return { ...divided, budget, usage: numbers.usage, isBroken, gaps: gapsOf(numbers) };
}

function gapsOf({ skippedRequests, forgottenShapes }: RunNumbers): readonly string[] {
  return [
    ...(skippedRequests > 0 ? [`${skippedRequests} requests were not sampled, because there were too many.`] : []),
    ...(forgottenShapes > 0
      ? [`${forgottenShapes} queries of other shapes were dropped, because there were too many.`]
      : []),
  ];
}
