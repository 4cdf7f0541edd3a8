import { isKnown, type KnownFinding } from '../budget/baseline.js';
import { type BudgetLimit, type BudgetLine, checkBudget } from '../budget/budget.js';
import type { CoachNumbers } from '../budget/budget-metrics.js';
import { type DividedFindings, divideFindings, type Suppression } from '../budget/suppressions.js';
import type { Finding } from '../finding.js';

/** What a run is judged by. */
export interface RunRules {
  readonly limits: readonly BudgetLimit[];
  readonly suppressions: readonly Suppression[];
  /** The findings that were there before; undefined without a baseline. */
  readonly known: readonly KnownFinding[] | undefined;
}

/** What the coach has counted in a run. */
export interface RunNumbers extends CoachNumbers {
  readonly skippedRequests: number;
  readonly forgottenShapes: number;
}

/** The judgement of a run. `findings` has those that are neither suppressed nor in the baseline. */
export interface CoachReport extends DividedFindings {
  /** The findings that the baseline has. */
  readonly known: readonly Finding[];
  readonly budget: readonly BudgetLine[];
  readonly isBroken: boolean;
  readonly usage: CoachNumbers['usage'];
  /** What the numbers lack; empty if they are complete. */
  readonly gaps: readonly string[];
}

/** Why a run without a request breaks its budget: most likely the command used another server, or none. */
export const noRequests = '0 requests reached the server. Does the command use AZURE_STORAGE_CONNECTION_STRING?';

/**
 * Judges a run by its budget, suppressions and baseline. A finding is accepted if it is suppressed or in the baseline.
 * With a baseline, every other finding that is serious or warns breaks the budget. So does a run without a request, unless the
 * budget limits the number of requests itself.
 */
export function judgeRun(numbers: RunNumbers, { limits, suppressions, known }: RunRules): CoachReport {
  const divided = divideFindings(numbers.findings, suppressions, numbers.queries);
  const isOld = (finding: Finding) => known !== undefined && isKnown(known, finding);
  const findings = divided.findings.filter((finding) => !isOld(finding));
  const old = divided.findings.filter(isOld);
  const accepted = [...old, ...divided.suppressed.map(({ finding }) => finding)];
  const budget = [
    ...checkBudget(limits, { usage: numbers.usage, queries: numbers.queries, findings }, accepted, suppressions),
    ...(known ? [newFindings(findings)] : []),
    ...missingRequests(numbers, { limits, known }),
  ];
  return {
    ...{ ...divided, findings, known: old, budget, usage: numbers.usage },
    isBroken: budget.some((line) => line.isBroken),
    gaps: gapsOf(numbers),
  };
}

function newFindings(findings: readonly Finding[]): BudgetLine {
  const fresh = findings.filter(({ severity }) => severity !== 'info');
  const [first] = fresh;
  return {
    ...{
      name: 'number of new findings',
      counts: 'findings that the baseline does not have',
      bound: 'most',
      allowed: 0,
    },
    ...{ actual: fresh.length, isBroken: fresh.length > 0, blamed: first && { ...first, count: first.calls } },
  };
}

function missingRequests(
  { usage: { transactions } }: RunNumbers,
  { limits, known }: Pick<RunRules, 'limits' | 'known'>,
): readonly BudgetLine[] {
  const isJudged = limits.length > 0 || known !== undefined;
  if (transactions > 0 || !isJudged || limits.some(({ metric }) => metric.name === 'transactions')) return [];
  const line = { name: 'transactions', counts: 'requests', bound: 'least', allowed: 1, actual: 0 } as const;
  return [{ ...line, isBroken: true, blamed: undefined, sentence: noRequests }];
}

function gapsOf({ skippedRequests, forgottenShapes }: RunNumbers): readonly string[] {
  return [
    ...(skippedRequests > 0 ? [`The coach did not see ${skippedRequests} requests, because there were too many.`] : []),
    ...(forgottenShapes > 0
      ? [`${forgottenShapes} queries of other shapes were forgotten, because there were too many.`]
      : []),
  ];
}

/** Writes a number of a budget: whole, or with at most three digits after the point. */
export function shownAmount(amount: number): string {
  return Number.isInteger(amount) ? String(amount) : String(Number(amount.toFixed(3)));
}

/** Writes one line of a budget, as in `table-scan is 2, and at most 0 is allowed (queries that read a whole table)`. */
export function budgetSentence({ name, counts, bound, allowed, actual, sentence }: BudgetLine): string {
  if (sentence !== undefined) return sentence;
  return `${name} is ${shownAmount(actual)}, and at ${bound} ${shownAmount(allowed)} is allowed (${counts})`;
}
