import type { Rule } from './rule.js';
import { entityRules } from './rules/entities.js';
import { queryRules } from './rules/queries.js';
import { tableRules } from './rules/tables.js';
import { transactionRules } from './rules/transactions.js';

const known = { ...queryRules, ...entityRules, ...transactionRules, ...tableRules };

/** The number of a rule. It is stable: suppressions name it. */
export type RuleId = keyof typeof known;

/**
 * All rules of the coach in words. `rules/` has them by idea, `thresholds.ts` their numbers.
 *
 * Source: Table design guide, "Guidelines for table design"; Table design guide, "Table design patterns".
 */
export const rules: Readonly<Record<RuleId, Rule>> = known;

/** The numbers of all rules in ascending order. */
export const ruleIds: readonly RuleId[] = (Object.keys(rules) as RuleId[]).sort(
  (a, b) => Number(a.slice(1)) - Number(b.slice(1)),
);

/** Returns whether a text is the number of a rule. */
export function isRuleId(text: string): text is RuleId {
  return ruleIds.some((id) => id === text);
}
