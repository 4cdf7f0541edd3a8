import { textOf } from '../client/http-transport.js';
import { askedRoot } from '../client/server-url.js';
import { commandLine } from '../command-line.js';
import { ConfigError, escapeText } from '../config.js';
import { type Accepted, divideFindings } from '../insight/budget/accepted.js';
import type { Finding } from '../insight/finding.js';
import { findingDetails, findingLine } from '../insight/report/finding-lines.js';
import { nameOf } from '../insight/rules/rule.js';
import { askControl } from './ask-control.js';
import { readAccepted } from './read-accepted.js';
import { placeOfReport, type ReportPlace } from './run-plan.js';
import type { CommandConfig } from './server-options.js';
import type { CoachAnswer } from './write-report.js';

/** The options of the command, as the command line has them. */
export interface CoachOptions {
  readonly json?: true;
  readonly clear?: true;
  readonly watch?: true;
  /** Files for reports. */
  readonly report?: readonly string[];
  /** The file of accepted findings. */
  readonly accept?: string;
}

/** Prints what the coach of a running server found, or makes it forget. `print` gets one line. */
export async function printFindings(
  config: CommandConfig,
  { json, clear, watch, report = [], accept }: CoachOptions,
  print: (line: string) => void,
): Promise<void> {
  if (clear && (watch || json || report.length > 0 || accept !== undefined)) {
    throw new ConfigError('--clear takes no other options of the coach. Leave them out.');
  }
  if (watch && report.length > 0) throw new ConfigError('--watch writes no reports. Leave out --report.');
  const entries = readAccepted(accept);
  const places = report.map(placeOfReport);
  const server = askedRoot(config);
  if (watch) {
    const { watchFindings } = await import('./watch-findings.js');
    const printed = (found: Finding) => (json ? [JSON.stringify(found)] : findingLines(found, server));
    return watchFindings(config, entries, (found) => {
      for (const line of printed(found)) print(escapeText(line));
    });
  }
  if (clear) {
    await textOf(await askControl(config, { method: 'POST', path: '/coach/clear', body: {} }));
    return;
  }
  const numbers = await askCoach(config);
  if (places.length > 0) await writeReports(numbers, entries, places);
  const { findings, accepted, unused } = divideFindings(numbers.findings, entries);
  if (json) {
    for (const finding of findings) print(JSON.stringify(finding));
    for (const { finding, why } of accepted) print(JSON.stringify({ ...finding, accepted: why }));
    return;
  }
  if (numbers.findings.length === 0) print('Nothing was found in the requests so far.');
  const lines = [
    ...findings.flatMap((finding) => findingLines(finding, server)),
    ...accepted.map(({ finding, why }) => `accepted ${nameOf(finding)} ${finding.shape}: ${why}`),
    ...unused.map(unusedLine),
  ];
  for (const line of lines) print(escapeText(line));
}

/** Returns what the coach of a running server found, the worst first. Errors: ConfigError. */
export async function askCoach(config: CommandConfig): Promise<CoachAnswer> {
  return JSON.parse(await textOf(await askControl(config, { path: '/coach' }))) as CoachAnswer;
}

async function writeReports(
  numbers: CoachAnswer,
  accepted: readonly Accepted[],
  places: readonly ReportPlace[],
): Promise<void> {
  const [{ judgeRun }, { writeReport }] = await Promise.all([
    import('../insight/report/coach-report.js'),
    import('./write-report.js'),
  ]);
  const report = judgeRun(numbers, { limits: [], accepted });
  for (const place of places) await writeReport(report, place);
}

/** Returns the line about an entry that accepts no finding. */
export function unusedLine({ rule, table, why }: Accepted): string {
  return `The accepted ${rule}${table === undefined ? '' : ` in ${table}`} (${why}) was not found. Remove the entry.`;
}

/** Returns a finding of a server for people. A hint is one line. */
export function findingLines(finding: Finding, server: string): readonly string[] {
  const line = findingLine(finding);
  if (finding.severity === 'info') return [`${line} ${finding.shape}`];
  return [
    line,
    ...findingDetails(finding).map((text) => `  ${text}`),
    `  ${commandLine(`requests --text ${finding.worstRequest}`, server)}`,
    ...(finding.curl === undefined ? [] : [`  ${finding.curl}`]),
  ];
}
