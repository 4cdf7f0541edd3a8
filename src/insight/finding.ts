import type { QueryClass } from './queries/query-classes.js';
import type { Severity } from './rule.js';
import { type RuleId, rules } from './rules.js';

/** Something that the coach found, with the requests that show it. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly title: string;
  readonly advice: string;
  /** The chapter of the design guide that helps. */
  readonly chapter?: string;
  /** The account of the requests; for a branch, the account that it was taken from. */
  readonly account: string;
  readonly table: string;
  /** The query without its values, or the operation. */
  readonly shape: string;
  readonly class?: QueryClass;
  /** How many queries or operations showed it; pages of one query count once. */
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
  /**
   * A command line that sends the worst request again, or the first one. It has no signature: `$SAS` stands for one. Absent if
   * the journal does not have them any more, or the run has ended.
   */
  readonly curl?: string;
  /** The filters to send instead of the example. Together they find the same entities. */
  readonly rewritten?: readonly string[];
}

/** What a finding has beside its rule. */
export type FindingFacts = Omit<Finding, 'rule' | 'severity' | 'title' | 'advice' | 'chapter'>;

/** Makes a finding of a rule. */
export function findingOf(id: RuleId, severity: Severity, facts: FindingFacts): Finding {
  const { title, advice, chapter } = rules[id];
  return { rule: id, severity, title, advice, ...(chapter !== undefined && { chapter }), ...facts };
}

const severities: readonly Severity[] = ['serious', 'warn', 'info'];

/** Sorts findings: the worst severity first, then what was read in vain, then the number of calls, then the shape. */
export function rankFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      b.read - b.returned - (a.read - a.returned) ||
      b.calls - a.calls ||
      (`${a.rule} ${a.shape}` < `${b.rule} ${b.shape}` ? -1 : 1),
  );
}
