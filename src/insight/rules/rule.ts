/** How bad a finding is, the worst last. `info` is a hint. */
export const severities = ['info', 'warn', 'serious'] as const;

/** How bad a finding is. */
export type Severity = (typeof severities)[number];

/** What is said of one cause of a rule. */
export interface Rule {
  readonly title: string;
  /** What it finds, and from what number on. */
  readonly finds: string;
  /** What it costs in the cloud; absent for queries, whose class says that. */
  readonly costs?: string;
  /** What helps. */
  readonly advice: string;
  /** The chapter of the design guide that helps, if there is one. */
  readonly chapter?: string;
}

/** What a finding is about. */
interface NamedCause {
  readonly rule: string;
  readonly cause?: string;
}

/** Returns the name of what a finding is about: `table-scan/or-keys`. */
export function nameOf({ rule, cause }: NamedCause): string {
  return cause === undefined ? rule : `${rule}/${cause}`;
}

/** Returns whether a finding is about a rule, or about the cause that a name has. */
export function isOfRule(finding: NamedCause, name: string): boolean {
  return name === finding.rule || name === nameOf(finding);
}

/** Writes a whole number for people: `10,000`. Not by its locale: the tables for that take 15 ms of every start. */
export function shownNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Writes a share for people: `80 %`. */
export function shownShare(value: number): string {
  return `${Math.round(value * 100)} %`;
}

/** Writes a time for people, in seconds: `10 s`. */
export function shownSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

const durations = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Writes a duration for people, in the largest unit of which there are two: `90 minutes`, `3 days`. */
export function shownDuration(ms: number): string {
  const [unit, length] = durations.find(([, one]) => ms >= 2 * one) ?? (['second', 1000] as const);
  const count = Math.round(ms / length);
  return `${shownNumber(count)} ${count === 1 ? unit : `${unit}s`}`;
}

/** Writes how many entities were read and returned, as a sentence. */
export function shownReads(read: number, returned: number): string {
  return `Here ${read === 1 ? '1 entity was' : `${read} entities were`} read and ${returned} returned.`;
}
