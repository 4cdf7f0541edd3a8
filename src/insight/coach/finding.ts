import { redactSecrets } from '../../protocol/redact-secrets.js';
import { ownText } from '../../remembered.js';
import type { QueryClass } from '../queries/query-classes.js';
import { nameOf, type Severity, severities } from '../rules/rule.js';
import { type CauseName, type RuleName, ruleOf, rules } from '../rules/rules.js';

/** Something that the coach found, with the requests that show it. */
export interface Finding {
  readonly rule: RuleName;
  /** Why the rule applies, as in `or-keys`; absent for a rule with one cause. */
  readonly cause?: string;
  readonly severity: Severity;
  readonly title: string;
  /** What it costs in the cloud. */
  readonly costs?: string;
  readonly advice: string;
  /** The chapter of the design guide that helps. */
  readonly chapter?: string;
  /** The account of the requests; for a branch, the account that it was taken from. */
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
  /** The first request that showed it, by its id. */
  readonly firstRequest: string;
  /** The request that read most. */
  readonly worstRequest: string;
  /** The marks under which it was seen, such as names of tests. */
  readonly marks: readonly string[];
  /** A filter as it was sent. */
  readonly example?: string;
  /** What is special about this query, in a sentence: `Age is stored as Int32, and …`. */
  readonly note?: string;
  /** The filters to send instead of the example. Together they find what was meant. */
  readonly rewritten?: readonly string[];
}

/** What a finding has beside its rule. */
export type FindingFacts = Omit<Finding, 'rule' | 'cause' | 'severity' | 'title' | 'costs' | 'advice' | 'chapter'>;

/** Makes a finding. */
export function findingOf(name: CauseName, severity: Severity, facts: FindingFacts): Finding {
  const { title, costs, advice, chapter } = rules[name];
  const [, cause] = name.split('/');
  return {
    ...{ rule: ruleOf(name), ...(cause !== undefined && { cause }), severity, title },
    ...{ ...(costs !== undefined && { costs }), advice, ...(chapter !== undefined && { chapter }), ...facts },
  };
}

/** Sorts findings: the worst severity first, then what was read in vain, then the number of calls, then the shape. */
export function rankFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
      b.read - b.returned - (a.read - a.returned) ||
      b.calls - a.calls ||
      (`${nameOf(a)} ${a.shape}` < `${nameOf(b)} ${b.shape}` ? -1 : 1),
  );
}

/** Returns a copy of a text of a request that may be shown: it has no signature. Use it once for each finding or shape. */
export function shownText(text: string): string {
  return ownText(redactSecrets(text));
}
