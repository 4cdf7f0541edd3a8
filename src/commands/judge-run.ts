import { appendFile } from 'node:fs/promises';
import { ConfigError, escapeText } from '../config.js';
import { writeBaseline } from '../insight/budget/baseline.js';
import type { BudgetLine } from '../insight/budget/budget.js';
import type { Finding } from '../insight/finding.js';
import { budgetSentence, judgeRun as judge, noRequests, type RunNumbers } from '../insight/report/coach-report.js';
import { writeMarkdown } from '../insight/report/write-markdown.js';
import type { RunningServer } from '../server.js';
import { unusedLine } from './coach.js';
import type { RunPlan } from './run-plan.js';
import { type CoachAnswer, type QueriesAnswer, writeReport, writeText } from './write-report.js';

/** The exit code of a command that ended well, but broke its budget. */
export const brokenBudgetCode = 3;

/**
 * Judges what the requests of a run have cost, writes the reports and prints what broke the budget. `server` is that
 * of the run, `print` gets one line, `summary` is the file of a step of GitHub Actions. Returns whether the budget was broken.
 *
 * Errors: ConfigError if a file cannot be written, and for a baseline of a run without a request.
 */
export async function judgeRun(
  plan: RunPlan,
  server: Pick<RunningServer, 'call'>,
  print: (line: string) => void,
  summary: string | undefined,
): Promise<boolean> {
  const numbers = await readNumbers(server.call);
  if (plan.writtenBaseline !== undefined && numbers.usage.transactions === 0) {
    throw new ConfigError(`${noRequests} The baseline stays as it was.`);
  }
  const report = judge(numbers, plan);
  for (const place of plan.reports) await writeReport(report, place);
  if (summary !== undefined && summary !== '') await writeText(summary, writeMarkdown(report), appendFile);
  if (plan.writtenBaseline !== undefined) await writeText(plan.writtenBaseline, writeBaseline(report.findings));
  for (const line of report.budget.filter(({ isBroken }) => isBroken)) printBroken(line, print);
  for (const suppression of report.unused) print(escapeText(unusedLine(suppression)));
  for (const gap of report.gaps) print(gap);
  return report.isBroken;
}

async function readNumbers(call: RunningServer['call']): Promise<RunNumbers> {
  const coach = (await call({ method: 'GET', path: '/coach', query: new URLSearchParams('ended') })) as CoachAnswer;
  const { queries } = (await call({ method: 'GET', path: '/coach/queries' })) as QueriesAnswer;
  return { ...coach, findings: coach.findings.map(asInTests), queries };
}

/** Tests create and delete the same tables all the time, and mean it. */
function asInTests(finding: Finding): Finding {
  return finding.rule === 'R19' || finding.rule === 'R26' ? { ...finding, severity: 'info' } : finding;
}

function printBroken(line: BudgetLine, print: (line: string) => void): void {
  print(escapeText(`budget broken: ${budgetSentence(line)}`));
  const { blamed } = line;
  if (!blamed) return;
  const { count, shape, table, firstRequest, marks } = blamed;
  print(escapeText(`  ${count} × ${shape}${table === '' ? '' : ` (table ${table})`}`));
  if (marks.length > 0) print(escapeText(`  seen in: ${marks.join(', ')}`));
  print(escapeText(`  first request: ${firstRequest}`));
}
