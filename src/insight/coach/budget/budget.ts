import { isOfRule, type Severity, severities } from '../../rules/rule.js';
import { causeNames, ruleNames } from '../../rules/rules.js';
import type { Usage } from '../coach.js';
import type { Finding } from '../finding.js';

/** The totals of a run. */
export type RunUsage = Pick<Usage, 'requests' | 'read' | 'returned'>;

/** One limit of a budget. */
export interface Limit {
  /** A rule, a rule with a cause, a severity or a total. */
  readonly name: string;
  /** Whether `allowed` is the maximum or the minimum. */
  readonly bound: 'most' | 'least';
  readonly allowed: number;
}

/** The result for one limit. */
export interface BudgetLine extends Limit {
  /** The counted things, for people. */
  readonly counts: string;
  readonly actual: number;
  readonly isBroken: boolean;
  /** The counted findings, the worst first. Empty for a total. */
  readonly counted: readonly Finding[];
}

const totals: ReadonlyMap<string, { readonly counts: string; measure(usage: RunUsage): number }> = new Map([
  ['requests', { counts: 'requests', measure: ({ requests }) => requests }],
  ['read', { counts: 'entities read', measure: ({ read }) => read }],
  [
    'density',
    {
      counts: 'entities returned for each that is read; 1 if none is',
      measure: ({ read, returned }) => (read === 0 ? 1 : returned / read),
    },
  ],
]);

const countsOfSeverity = {
  info: 'findings, hints included',
  warn: 'findings that warn or are serious',
  serious: 'serious findings',
} as const;

/** The names that a budget may limit, with the counted things. Rules, with or without a cause, count calls. */
export const limitWords: ReadonlyMap<string, string> = new Map([
  ...severities.map((severity) => [severity, countsOfSeverity[severity]] as const).reverse(),
  ...[...totals].map(([name, { counts }]) => [name, counts] as const),
  ...ruleNames.map((name) => [name, `operations with such a finding`] as const),
]);

/** Whether a budget may limit this name. */
export function isLimitName(name: string): boolean {
  return limitWords.has(name) || causeNames.some((one) => one === name);
}

/** A run without a request proves nothing: its program probably used another server, or none. */
const usedAtAll: Limit = { name: 'requests', bound: 'least', allowed: 1 };

/**
 * Compares a run with a budget. Limits of rules and severities count `findings`, which nobody accepts; totals count all requests.
 * A budget without a limit for requests needs at least one.
 */
export function checkBudget(
  limits: readonly Limit[],
  findings: readonly Finding[],
  usage: RunUsage,
): readonly BudgetLine[] {
  const isUsed = limits.length === 0 || usage.requests > 0 || limits.some(({ name }) => name === usedAtAll.name);
  return (isUsed ? limits : [usedAtAll, ...limits]).map((limit) => {
    const { name, bound, allowed } = limit;
    const least = severities.indexOf(name as Severity);
    const counted = findings.filter((one) =>
      least < 0 ? isOfRule(one, name) : severities.indexOf(one.severity) >= least,
    );
    const calls = () => counted.reduce((sum, one) => sum + one.calls, 0);
    const actual = totals.get(name)?.measure(usage) ?? (least < 0 ? calls() : counted.length);
    const counts = limitWords.get(name) ?? 'operations with such a finding';
    return { ...limit, counts, actual, counted, isBroken: bound === 'most' ? actual > allowed : actual < allowed };
  });
}

/** The message for a run without a request. */
export const noRequests = '0 requests reached the server. Does the command use AZURE_STORAGE_CONNECTION_STRING?';

/** Writes one line of a budget, such as `warn is 2; limit 0 (findings that warn or are serious)`. */
export function budgetSentence({ name, counts, bound, allowed, actual }: BudgetLine): string {
  if (name === 'requests' && bound === 'least' && actual === 0) return noRequests;
  const limit = bound === 'most' ? 'limit' : 'at least';
  return `${name} is ${shownAmount(actual)}; ${limit} ${shownAmount(allowed)} (${counts})`;
}

/** Writes a number with at most three digits after the point. */
function shownAmount(amount: number): string {
  return Number.isInteger(amount) ? String(amount) : String(Number(amount.toFixed(3)));
}
