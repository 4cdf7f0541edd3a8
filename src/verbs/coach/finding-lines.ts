import { commandLine } from '../../command-line.js';
import type { Finding } from '../../insight/finding.js';
import { findingDetails, findingLine } from '../../insight/report/finding-lines.js';

/** Returns a finding of a server for people. A hint is one line. */
export function findingLines(finding: Finding, server: string): readonly string[] {
  const line = findingLine(finding);
  if (finding.severity === 'info') return [`${line} ${finding.shape}`];
  return [
    line,
    ...findingDetails(finding).map((text) => `  ${text}`),
    `  ${commandLine(`request show ${finding.worstRequest}`, server)}`,
  ];
}
