/** The severities, the worst last. `info` is a hint. */
export const severities = ['info', 'warn', 'serious'] as const;

/** The severity of a finding. */
export type Severity = (typeof severities)[number];

/** One cause of a rule, in words. */
export interface Rule {
  readonly title: string;
  /** The condition and the threshold of a finding. */
  readonly finds: string;
  /** The cost in the cloud; absent for queries, because their class has it. */
  readonly costs?: string;
  readonly advice: string;
  /** The chapter of the design guide that helps. */
  readonly chapter?: string;
}

/** The rule and the cause of a finding. */
interface NamedCause {
  readonly rule: string;
  readonly cause?: string;
}

/** Returns the name of a cause: `table-scan/or-keys`. */
export function nameOf({ rule, cause }: NamedCause): string {
  return cause === undefined ? rule : `${rule}/${cause}`;
}

/** Whether a name is the rule of a finding, or the rule with its cause. */
export function isOfRule(finding: NamedCause, name: string): boolean {
  return name === finding.rule || name === nameOf(finding);
}

/** Writes a whole number for people: `10,000`. Locale tables would add 15 ms to every start. */
export function shownNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Writes a share for people: `80 %`. */
export function shownShare(value: number): string {
  return `${Math.round(value * 100)} %`;
}

/** Writes milliseconds for people, in seconds: `10 s`. */
export function shownSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

const durations = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Writes a duration for people, in the largest unit that it has two of: `90 minutes`, `3 days`. */
export function shownDuration(ms: number): string {
  const [unit, length] = durations.find(([, one]) => ms >= 2 * one) ?? (['second', 1000] as const);
  const count = Math.round(ms / length);
  return `${shownNumber(count)} ${count === 1 ? unit : `${unit}s`}`;
}

/** Writes the numbers of read and returned entities as a sentence. */
export function shownReads(read: number, returned: number): string {
  return `Here ${read === 1 ? '1 entity was' : `${read} entities were`} read and ${returned} returned.`;
}
