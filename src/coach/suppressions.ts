import { lowerAscii } from '../protocol/names.js';
import type { Finding } from './finding.js';

/** A kind of finding that somebody accepts, with the reason. */
export interface Suppression {
  readonly rule: string;
  /** Absent: any table. Names are compared without regard to case. */
  readonly table?: string;
  /** The shape as a finding has it. Absent: any. */
  readonly shape?: string;
  readonly why: string;
}

/** A finding that is accepted. */
export interface SuppressedFinding {
  readonly finding: Finding;
  readonly why: string;
}

/** Findings, divided by a list of suppressions. */
export interface DividedFindings {
  readonly findings: readonly Finding[];
  readonly suppressed: readonly SuppressedFinding[];
  /** The suppressions that match no finding. They are old, or misspelled. */
  readonly unused: readonly Suppression[];
}

/** Divides findings into those that count and those that are suppressed, by the first suppression that matches. */
export function divideFindings(all: readonly Finding[], suppressions: readonly Suppression[]): DividedFindings {
  const findings: Finding[] = [];
  const suppressed: SuppressedFinding[] = [];
  for (const finding of all) {
    const match = suppressions.find((one) => matches(one, finding));
    if (match) suppressed.push({ finding, why: match.why });
    else findings.push(finding);
  }
  return {
    findings,
    suppressed,
    unused: suppressions.filter((one) => !all.some((finding) => matches(one, finding))),
  };
}

function matches({ rule, table, shape }: Suppression, finding: Finding): boolean {
  return (
    rule === finding.rule &&
    (table === undefined || lowerAscii(table) === lowerAscii(finding.table)) &&
    (shape === undefined || shape === finding.shape)
  );
}
