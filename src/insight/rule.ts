/** How bad a finding is. `info` never fails anything. */
export type Severity = 'info' | 'warn' | 'serious';

/** A rule of the coach in words. */
export interface Rule {
  readonly title: string;
  /** What it finds, and from what number on. */
  readonly finds: string;
  /** What helps. */
  readonly advice: string;
  /** The chapter of the design guide that helps, if there is one. */
  readonly chapter?: string;
}

/** Rules by their numbers. */
export type Rules = Readonly<Partial<Record<`R${number}`, Rule>>>;

/** Writes a number for people: `10,000`. */
export function shownNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** Writes a share for people: `80 %`. */
export function shownShare(value: number): string {
  return `${Math.round(value * 100)} %`;
}

/** Writes a time for people, in seconds: `10 s`. */
export function shownSeconds(ms: number): string {
  return `${ms / 1000} s`;
}
