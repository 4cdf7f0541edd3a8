import { appendFile, writeFile } from 'node:fs/promises';
import { writeBaseline } from '../coach/baseline.js';
import type { BudgetLine } from '../coach/budget.js';
import type { Finding } from '../coach/finding.js';
import type { ShapeUsage } from '../coach/query-shapes.js';
import { budgetSentence, type CoachReport, judgeRun as judge, type RunNumbers } from '../coach/report/coach-report.js';
import { writeHtml } from '../coach/report/write-html.js';
import { writeMarkdown } from '../coach/report/write-markdown.js';
import { writeSarif } from '../coach/report/write-sarif.js';
import type { Usage } from '../coach/usage.js';
import { ConfigError, escapeText } from '../config.js';
import { reasonOf } from '../http/file-reason.js';
import type { Journal } from '../journal/journal.js';
import { writeCurl } from '../journal/write-curl.js';
import type { RunningServer } from '../server.js';
import { ownVersion } from '../version.js';
import { unusedLine } from './coach.js';
import type { ReportFormat, RunPlan } from './run-plan.js';

/** The exit code of a command that ended well, but broke its budget. */
export const brokenBudgetCode = 3;

/** The answer of the row of the coach. */
interface CoachAnswer {
  readonly findings: readonly Finding[];
  readonly usage: Pick<Usage, 'transactions' | 'scanned' | 'returned'>;
  readonly skippedRequests: number;
  readonly forgottenShapes: number;
}

/**
 * Judges what the requests of a run have cost, writes the reports and prints what broke the budget. `server` is that
 * of the run, `print` gets one line, `summary` is the file of a step of GitHub Actions. Returns whether the budget was broken.
 *
 * Errors: ConfigError if a file cannot be written.
 */
export async function judgeRun(
  plan: RunPlan,
  server: Pick<RunningServer, 'call' | 'journal'>,
  print: (line: string) => void,
  summary: string | undefined,
): Promise<boolean> {
  const numbers = await readNumbers(server.call);
  const report = judge(numbers, plan);
  for (const { file, format } of plan.reports) await write(file, writers[format](report));
  if (summary !== undefined && summary !== '') await write(summary, writeMarkdown(report), appendFile);
  if (plan.writtenBaseline !== undefined) await write(plan.writtenBaseline, writeBaseline(report.findings));
  for (const line of report.budget.filter(({ isBroken }) => isBroken)) printBroken(line, server.journal, print);
  for (const suppression of report.unused) print(escapeText(unusedLine(suppression)));
  for (const gap of report.gaps) print(gap);
  return report.isBroken;
}

const writers: Readonly<Record<ReportFormat, (report: CoachReport) => string>> = {
  md: writeMarkdown,
  html: writeHtml,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  sarif: (report) => writeSarif(report, ownVersion()),
};

async function readNumbers(call: RunningServer['call']): Promise<RunNumbers> {
  const ended = new URLSearchParams('ended');
  const coach = (await call({ method: 'GET', path: '/coach', query: ended })) as CoachAnswer;
  const { queries } = (await call({ method: 'GET', path: '/coach/queries' })) as {
    readonly queries: readonly ShapeUsage[];
  };
  return { ...coach, findings: coach.findings.map(asInTests), queries };
}

/** Tests use the names of tables again all day, and mean it. */
function asInTests(finding: Finding): Finding {
  return finding.rule === 'R19' ? { ...finding, severity: 'info' } : finding;
}

function printBroken(line: BudgetLine, journal: Journal | undefined, print: (line: string) => void): void {
  print(escapeText(`budget broken: ${budgetSentence(line)}`));
  const { blamed } = line;
  if (!blamed) return;
  const { count, shape, table, firstRequest, marks } = blamed;
  print(escapeText(`  ${count} × ${shape}${table === '' ? '' : ` (table ${table})`}`));
  if (marks.length > 0) print(escapeText(`  seen in: ${marks.join(', ')}`));
  print(escapeText(`  first request: ${firstRequest}`));
  // The journal may have forgotten it.
  const entry = journal?.find(firstRequest);
  if (entry) print(escapeText(`  ${writeCurl(entry)}`));
}

async function write(file: string, text: string, how: typeof writeFile | typeof appendFile = writeFile): Promise<void> {
  try {
    await how(file, text);
  } catch (error) {
    throw new ConfigError(`The file ${file} cannot be written: ${reasonOf(error)}.`);
  }
}
