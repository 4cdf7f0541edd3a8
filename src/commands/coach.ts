import { askedRoot } from '../client/server-url.js';
import { commandLine } from '../command-line.js';
import { ConfigError, escapeText } from '../config.js';
import { divideFindings, type Suppression } from '../insight/budget/suppressions.js';
import type { Finding } from '../insight/finding.js';
import type { RunNumbers } from '../insight/report/coach-report.js';
import { askControl, textOf } from './ask-control.js';
import { readSuppressions } from './read-coach-file.js';
import { placeOfReport, type ReportPlace } from './run-plan.js';
import type { CommandConfig } from './server-options.js';
import type { CoachAnswer, QueriesAnswer } from './write-report.js';

/** The options of the command, as the command line has them. */
export interface CoachOptions {
  readonly json?: true;
  readonly clear?: true;
  readonly watch?: true;
  /** Files for reports. */
  readonly report?: readonly string[];
  readonly suppressions?: string;
}

/** Prints what the coach of a running server found, or makes it forget. `print` gets one line. */
export async function printFindings(
  config: CommandConfig,
  { json, clear, watch, report = [], suppressions }: CoachOptions,
  print: (line: string) => void,
): Promise<void> {
  if (clear && (watch || json || report.length > 0 || suppressions !== undefined)) {
    throw new ConfigError('--clear takes no other options of the coach. Leave them out.');
  }
  if (watch && report.length > 0) throw new ConfigError('--watch writes no reports. Leave out --report.');
  const accepted = readSuppressions(suppressions);
  const places = report.map(placeOfReport);
  const server = askedRoot(config);
  if (watch) {
    const { watchFindings } = await import('./watch-findings.js');
    const printed = (found: Finding) => (json ? [JSON.stringify(found)] : findingLines(found, server));
    return watchFindings(config, accepted, (found) => {
      for (const line of printed(found)) print(escapeText(line));
    });
  }
  if (clear) {
    await textOf(await askControl(config, { method: 'POST', path: '/coach/clear', body: {} }));
    return;
  }
  const numbers = await askCoach(config);
  const all = numbers.findings;
  const queries = places.length > 0 || accepted.length > 0 ? await askQueries(config) : [];
  if (places.length > 0) await writeReports({ ...numbers, queries }, accepted, places);
  const { findings, suppressed, unused } = divideFindings(all, accepted, queries);
  if (json) {
    for (const finding of findings) print(JSON.stringify(finding));
    for (const { finding, why } of suppressed) print(JSON.stringify({ ...finding, suppressed: why }));
    return;
  }
  if (all.length === 0) print('Nothing was found in the requests so far.');
  const lines = [
    ...findings.flatMap((finding) => findingLines(finding, server)),
    ...suppressed.map(({ finding, why }) => `suppressed ${finding.rule} ${finding.shape}: ${why}`),
    ...unused.map(unusedLine),
  ];
  for (const line of lines) print(escapeText(line));
}

/** Returns what the coach of a running server found, the worst first. Errors: ConfigError. */
export async function askCoach(config: CommandConfig): Promise<CoachAnswer> {
  return JSON.parse(await textOf(await askControl(config, { path: '/coach' }))) as CoachAnswer;
}

async function askQueries(config: CommandConfig): Promise<QueriesAnswer['queries']> {
  const answer = await textOf(await askControl(config, { path: '/coach/queries' }));
  return (JSON.parse(answer) as QueriesAnswer).queries;
}

async function writeReports(
  numbers: RunNumbers,
  suppressions: readonly Suppression[],
  places: readonly ReportPlace[],
): Promise<void> {
  const [{ judgeRun }, { writeReport }] = await Promise.all([
    import('../insight/report/coach-report.js'),
    import('./write-report.js'),
  ]);
  const report = judgeRun(numbers, { limits: [], suppressions, known: undefined });
  for (const place of places) await writeReport(report, place);
}

/** Returns the line about a suppression that matches no finding. */
export function unusedLine({ rule, table, why }: Suppression): string {
  return `The suppression of ${rule}${table === undefined ? '' : ` in ${table}`} (${why}) matches no finding.`;
}

/** Returns a finding of a server for people: rule, severity and numbers, then the query, what helps and where to look. */
export function findingLines(finding: Finding, server: string): readonly string[] {
  const { rule, severity, title, advice, chapter, table, shape, calls, read, returned, example, marks } = finding;
  const effort = read === 0 ? '' : `; ${read} entities read, ${returned} returned`;
  return [
    `${severity} ${rule} ${title}${table === '' ? '' : ` (${table})`}: ${calls} ${calls === 1 ? 'call' : 'calls'}${effort}`,
    `  ${shape}`,
    ...(example === undefined ? [] : [`  as in: ${example}`]),
    ...(finding.rewritten ?? []).map((filter, at) => `  ${at === 0 ? 'instead' : 'and'}: ${filter}`),
    `  ${advice}${chapter === undefined ? '' : ` Table design guide: ${chapter}.`}`,
    `  ${commandLine(`requests --text ${finding.worstRequest}`, server)}`,
    ...(finding.curl === undefined ? [] : [`  ${finding.curl}`]),
    ...(marks.length === 0 ? [] : [`  seen in: ${marks.join(', ')}`]),
  ];
}
