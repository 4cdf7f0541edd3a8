import { isOfRule, nameOf } from '../../rules/rule.js';
import type { Finding } from '../finding.js';
import { stemOf } from './same-findings.js';

/** A kind of finding that somebody accepts, with the reason. */
export interface Accepted {
  /** A rule, or a rule with a cause: `table-scan/unfiltered`. */
  readonly rule: string;
  /** Absent: any account. A branch counts as the account that it was taken from. */
  readonly account?: string;
  /** Absent: any table. Letter case and what test runs generate do not count. */
  readonly table?: string;
  /** The shape as a finding has it. Absent: any. */
  readonly shape?: string;
  readonly why: string;
}

/** A finding that is accepted. */
export interface AcceptedFinding {
  readonly finding: Finding;
  readonly why: string;
}

/** Findings, divided by what is accepted. */
export interface DividedFindings {
  readonly findings: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
  /** The entries that match no finding. They are old, or misspelled. */
  readonly unused: readonly Accepted[];
}

/** Divides findings into those that count and those that are accepted, by the first entry that matches. */
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

/** Returns the entry that accepts a finding, and the others that differ from it only in what test runs generate. */
export function entryFor(finding: Finding, why: string): Accepted {
  const { table, shape } = finding;
  return { rule: nameOf(finding), ...(table !== '' && { table }), shape, why };
}

/** Returns entries that accept findings, but for hints about time, which differ from run to run. */
export function entriesFor(findings: readonly Finding[]): readonly Accepted[] {
  return findings
    .filter((finding) => finding.severity !== 'info' || finding.class !== undefined)
    .map((finding) => entryFor(finding, 'accepted by --acceptAll'));
}

/** Writes entries as a file: sorted and without numbers, so that it changes only if an entry comes or goes. */
export function writeAccepted(entries: readonly Accepted[]): string {
  const lines = [...new Set(entries.map((one) => JSON.stringify(one)))].sort();
  return `{"accept":[${lines.map((line) => `\n  ${line}`).join(',')}\n]}\n`;
}
