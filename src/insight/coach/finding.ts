import { redactSecrets } from '../../protocol/redact-secrets.js';
import { ownText } from '../../remembered.js';
import type { QueryClass } from '../queries/query-classes.js';
import { nameOf, type Severity, severities } from '../rules/rule.js';
import { type CauseName, type RuleName, ruleOf, rules } from '../rules/rules.js';

/** A costly habit or query, with the requests that show it. */
export interface Finding {
  readonly rule: RuleName;
  /** Why the rule applies, as in `or-keys`; absent for a rule with one cause. */
  readonly cause?: string;
  readonly severity: Severity;
  readonly title: string;
  /** The cost in the cloud. */
  readonly costs?: string;
  readonly advice: string;
  /** The chapter of the design guide that helps. */
  readonly chapter?: string;
  /** The account of the requests; for a branch, its origin. */
  readonly account: string;
  readonly table: string;
  /** The query without its values, or the operation. */
  readonly shape: string;
  readonly class?: QueryClass;
  /** How many requests showed it; the pages of a query count once. */
  readonly calls: number;
  /** Entities that this server read for them. The cloud reads at least as many. */
  readonly read: number;
  readonly returned: number;
  /** The id of the first request that showed it. */
  readonly firstRequest: string;
  /** The request that read most. */
  readonly worstRequest: string;
  /** Marks of these requests, such as names of tests. */
  readonly marks: readonly string[];
  /** A filter as sent. */
  readonly example?: string;
  /** A detail of this query, in a sentence: `Age is stored as Int32, and …`. */
  readonly note?: string;
  /** The filters to send instead of the example. Together they find the same entities. */
  readonly rewritten?: readonly string[];
}

/** The facts of a finding apart from its rule. */
export type FindingFacts = Omit<Finding, 'rule' | 'cause' | 'severity' | 'title' | 'costs' | 'advice' | 'chapter'>;

/** Creates a finding from the words of its rule. */
export function findingOf(name: CauseName, severity: Severity, facts: FindingFacts): Finding {
  const { title, costs, advice, chapter } = rules[name];
  const [, cause] = name.split('/');
  return {
    ...{ rule: ruleOf(name), ...(cause !== undefined && { cause }), severity, title },
    ...{ ...(costs !== undefined && { costs }), advice, ...(chapter !== undefined && { chapter }), ...facts },
  };
}

/** Sorts findings: the worst severity first, then by wasted reads, calls and shape. */
export function rankFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
      b.read - b.returned - (a.read - a.returned) ||
      b.calls - a.calls ||
      (`${nameOf(a)} ${a.shape}` < `${nameOf(b)} ${b.shape}` ? -1 : 1),
  );
}

/** Returns a copy of a request's text without signatures, to show it. Call it once per finding or shape. */
export function shownText(text: string): string {
  return ownText(redactSecrets(text));
}
