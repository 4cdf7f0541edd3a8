import type { Finding } from '../finding.js';
import { stemOf } from './same-findings.js';

/** What a baseline keeps of a finding: nothing that differs from run to run. */
export type KnownFinding = Pick<Finding, 'rule' | 'table' | 'shape'>;

/** Writes a baseline. It is sorted and has no times and numbers, so that it changes only if a finding comes or goes. */
export function writeBaseline(findings: readonly Finding[]): string {
  const known = findings
    // Hints about time differ from run to run, those about queries do not.
    .filter((finding) => finding.severity !== 'info' || finding.class !== undefined)
    .map(({ rule, table, shape }) => ({ rule, table, shape }));
  const lines = [...new Set(known.map((one) => JSON.stringify(one)))].sort();
  return `{"findings":[${lines.map((line) => `\n  ${line}`).join(',')}\n]}\n`;
}

/** Returns whether a baseline has a finding. */
export function isKnown(known: readonly KnownFinding[], { rule, table, shape }: Finding): boolean {
  return known.some(
    (one) => one.rule === rule && stemOf(one.table) === stemOf(table) && stemOf(one.shape) === stemOf(shape),
  );
}
