import { isOfRule, nameOf } from '../../rules/rule.js';
import type { Finding } from '../finding.js';
import { stemOf } from './same-findings.js';

/** A kind of finding that somebody accepts, with the reason. */
export interface Accepted {
  /** A rule, or a rule with a cause: `table-scan/unfiltered`. */
  readonly rule: string;
  /** Absent: any account. A branch counts as its origin. */
  readonly account?: string;
  /** Absent: any table. Ignores letter case and generated parts of the name. */
  readonly table?: string;
  /** As in a finding. Absent: any shape. */
  readonly shape?: string;
  readonly why: string;
}

/** An accepted finding. */
export interface AcceptedFinding {
  readonly finding: Finding;
  readonly why: string;
}

/** Findings, divided by acceptance. */
export interface DividedFindings {
  readonly findings: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
  /** Entries that match no finding, because they are old or misspelled. */
  readonly unused: readonly Accepted[];
}

/** Divides findings into accepted ones, by the first matching entry, and others. */
export function divideFindings(all: readonly Finding[], entries: readonly Accepted[]): DividedFindings {
  const findings: Finding[] = [];
  const accepted: AcceptedFinding[] = [];
  for (const finding of all) {
    const match = entries.find((one) => isAbout(one, finding));
    if (match) accepted.push({ finding, why: match.why });
    else findings.push(finding);
  }
  return { findings, accepted, unused: entries.filter((one) => !all.some((finding) => isAbout(one, finding))) };
}

function isAbout({ rule, account, table, shape }: Accepted, finding: Finding): boolean {
  return (
    isOfRule(finding, rule) &&
    (account === undefined || account === finding.account) &&
    (table === undefined || stemOf(table) === stemOf(finding.table)) &&
    (shape === undefined || stemOf(shape) === stemOf(finding.shape))
  );
}

/** Returns the entry that accepts a finding, and others that differ from it only in generated names. */
export function entryFor(finding: Finding, why: string): Accepted {
  const { table, shape } = finding;
  return { rule: nameOf(finding), ...(table !== '' && { table }), shape, why };
}

/** Returns entries that accept findings, except hints about timing, which differ from run to run. */
export function entriesFor(findings: readonly Finding[]): readonly Accepted[] {
  return findings
    .filter((finding) => finding.severity !== 'info' || finding.class !== undefined)
    .map((finding) => entryFor(finding, 'accepted by --acceptAll'));
}

/** Writes entries as a file, sorted and without numbers, so that it changes only with its entries. */
export function writeAccepted(entries: readonly Accepted[]): string {
  const lines = [...new Set(entries.map((one) => JSON.stringify(one)))].sort();
  return `{"accept":[${lines.map((line) => `\n  ${line}`).join(',')}\n]}\n`;
}
