import { ConfigError, escapeText } from '../../config.js';
import { entriesFor, entryFor, writeAccepted } from '../../insight/coach/budget/accepted.js';
import { type BudgetLine, budgetSentence, noRequests } from '../../insight/coach/budget/budget.js';
import type { Finding } from '../../insight/coach/finding.js';
import { judgeRun as judge, type RunNumbers } from '../../insight/coach/report/coach-report.js';
import { findingDetails, findingLine } from '../../insight/coach/report/finding-lines.js';
import { writeMarkdown } from '../../insight/coach/report/write-markdown.js';
import type { RunningServer } from '../../server.js';
import { coachShow } from '../../verbs/coach.js';
import { unusedLine } from './run-coach.js';
import type { RunPlan } from './run-plan.js';
import { writeReport, writeText } from './write-report.js';

/** The exit code of a command that succeeded, but broke its budget. */
export const brokenBudgetCode = 3;

/** Most findings printed per broken limit. (Our choice: a report has all of them.) */
const printedMax = 5;

/**
 * Judges the cost of a run, writes the reports and prints the broken limits. `print` gets one line, `summary` is the file of the
 * GitHub Actions step summary. Returns whether the budget was broken.
 *
 * Errors: ConfigError if a file cannot be written, or if the findings of a run without requests are to be accepted.
 */
export async function judgeRun(
  plan: RunPlan,
  server: Pick<RunningServer, 'callVerb'>,
  print: (line: string) => void,
  summary: string | undefined,
): Promise<boolean> {
  const numbers = (await server.callVerb(coachShow, { ended: true })) as RunNumbers;
  const accepted = plan.acceptsAll ? await acceptAll(plan, numbers) : plan.accepted;
  const report = judge(numbers, { ...plan, accepted });
  for (const place of plan.reports) await writeReport(report, place);
  if (summary !== undefined && summary !== '') await writeText(summary, writeMarkdown(report), 'a');
  const printed = new Set<Finding>();
  for (const line of report.budget.filter(({ isBroken }) => isBroken)) {
    for (const text of brokenLines(line, plan.acceptFile, printed)) print(escapeText(text));
  }
  for (const entry of report.unused) print(escapeText(unusedLine(entry)));
  for (const gap of report.gaps) print(gap);
  return report.isBroken;
}

/** Adds the findings of a run to the file of accepted findings. Returns all of its entries. */
async function acceptAll({ accepted, acceptFile }: RunPlan, numbers: RunNumbers): Promise<RunPlan['accepted']> {
  if (numbers.usage.requests === 0) throw new ConfigError(`${noRequests} ${acceptFile} stays as it was.`);
  const all = [...accepted, ...entriesFor(judge(numbers, { limits: [], accepted }).findings)];
  await writeText(acceptFile, writeAccepted(all));
  return all;
}

/** Formats a broken limit: the numbers, then those of its findings that have not been printed yet. */
function brokenLines(line: BudgetLine, acceptFile: string, printed: Set<Finding>): readonly string[] {
  const fresh = line.counted.filter((finding) => !printed.has(finding));
  const shown = fresh.slice(0, printedMax);
  for (const finding of shown) printed.add(finding);
  const more = fresh.length - shown.length;
  return [
    `budget broken: ${budgetSentence(line)}`,
    ...shown.flatMap((finding) => [
      `  ${findingLine(finding)}`,
      ...findingDetails(finding).map((text) => `    ${text}`),
      `    first request: ${finding.firstRequest}`,
      `    to accept it, add to ${acceptFile}: ${JSON.stringify(entryFor(finding, '…'))}`,
    ]),
    ...(more > 0 ? [`  ${more} more ${more === 1 ? 'finding' : 'findings'}; --report coach.md has all of them`] : []),
  ];
}
