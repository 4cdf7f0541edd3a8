import { operationRules } from './operations.js';
import { queryRules } from './queries.js';
import type { Rule } from './rule.js';
import { tableRules } from './tables.js';

const known = { ...queryRules, ...operationRules, ...tableRules };

/** What a finding can be about: a rule, or a rule and a cause, as in `table-scan/or-keys`. */
export type CauseName = keyof typeof known;

/** The name of a rule. Budgets and accepted findings use the same names. */
export type RuleName = CauseName extends infer Name ? (Name extends `${infer Rule}/${string}` ? Rule : Name) : never;

/**
 * All rules of the coach in words, by cause. `thresholds.ts` has their numbers.
 *
 * Source: Table design guide, "Guidelines for table design"; Table design guide, "Table design patterns".
 */
export const rules: Readonly<Record<CauseName, Rule>> = known;

/** All causes, those of a rule side by side. */
export const causeNames = Object.keys(rules) as readonly CauseName[];

/** All rules. */
export const ruleNames = [...new Set(causeNames.map(ruleOf))];

/** Returns what a rule says to those who break it: what is wrong, and what helps. */
export function adviceOf(name: CauseName): string {
  const { title, advice } = rules[name];
  return `${title}. ${advice}`;
}

/** Returns the rule of a cause. */
export function ruleOf(name: CauseName): RuleName {
  return name.split('/')[0] as RuleName;
}
