import type { Finding } from '../finding.js';
import type { ShapeUsage } from '../shapes/query-shapes.js';
import { isCountedFor } from './budget-metrics.js';
import { stemOf } from './same-findings.js';

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
  /** The suppressions that match neither a finding nor a query that a budget counts for their rule. They are old, or misspelled. */
  readonly unused: readonly Suppression[];
}

/**
 * Divides findings into those that count and those that are suppressed, by the first suppression that matches. `queries` are those
 * that a budget may count although no rule finds them.
 */
export function divideFindings(
  all: readonly Finding[],
  suppressions: readonly Suppression[],
  queries: readonly ShapeUsage[] = [],
): DividedFindings {
  const findings: Finding[] = [];
  const suppressed: SuppressedFinding[] = [];
  for (const finding of all) {
    const match = suppressions.find((one) => one.rule === finding.rule && isAbout(one, finding));
    if (match) suppressed.push({ finding, why: match.why });
    else findings.push(finding);
  }
  const isUsed = (one: Suppression) =>
    all.some((finding) => one.rule === finding.rule && isAbout(one, finding)) ||
    queries.some((query) => isAbout(one, query) && isCountedFor(one.rule, query));
  return { findings, suppressed, unused: suppressions.filter((one) => !isUsed(one)) };
}

/** Returns whether a suppression is about the table and the shape of a finding or query. */
export function isAbout({ table, shape }: Suppression, found: Pick<Finding, 'table' | 'shape'>): boolean {
  return (
    (table === undefined || stemOf(table) === stemOf(found.table)) &&
    (shape === undefined || stemOf(shape) === stemOf(found.shape))
  );
}
