import { budgetSentence } from '../budget/budget.js';
import type { Finding } from '../finding.js';
import type { CoachReport } from './coach-report.js';
import { costOf, findingLine } from './finding-lines.js';

/** How many findings a report shows in full. (Our choice: GitHub accepts summaries of up to 1 MiB.) */
const findingsMax = 200;

/** Writes a report as Markdown, for people and for the step summary of GitHub Actions. */
export function writeMarkdown(report: CoachReport): string {
  const { findings, accepted, unused, budget, usage, gaps } = report;
  const { requests, read, returned } = usage;
  const lines = [
    '# Tabularium coach',
    '',
    `${requests} requests read ${read} entities and returned ${returned}.`,
    ...gaps.flatMap((gap) => ['', gap]),
    ...section(
      'Budget',
      budget.map((line) => `- ${line.isBroken ? '**broken**' : 'held'} ${plain(budgetSentence(line))}`),
    ),
    ...section('Findings', findings.slice(0, findingsMax).flatMap(writeFinding)),
    ...(findings.length > findingsMax ? ['', `${findings.length - findingsMax} more findings are not shown.`] : []),
    ...section(
      'Accepted',
      accepted.map(({ finding, why }) => `- ${plain(findingLine(finding))} ${plain(why)}`),
    ),
    ...section(
      'Accepted, but not found',
      unused.map(
        ({ rule, table = '', shape = '', why }) => `- ${plain([rule, table, shape].join(' ').trim())}: ${plain(why)}`,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}

function writeFinding(finding: Finding): readonly string[] {
  const { severity, shape, example, note, rewritten = [], advice, chapter, firstRequest, marks } = finding;
  return [
    `- **${severity}**${plain(findingLine(finding).slice(severity.length))}`,
    `  - ${code(shape)}`,
    ...(example === undefined ? [] : [`  - as in ${code(example)}`]),
    ...(note === undefined ? [] : [`  - ${plain(note)}`]),
    `  - in the cloud: ${plain(costOf(finding))}`,
    ...(rewritten.length === 0 ? [] : [`  - instead ${rewritten.map(code).join(' and ')}`]),
    `  - ${plain(advice)}${chapter === undefined ? '' : ` Table design guide: ${plain(chapter)}.`}`,
    `  - first request: ${code(firstRequest)}${marks.length === 0 ? '' : `, seen in ${marks.map(code).join(', ')}`}`,
  ];
}

/** Escapes a text for Markdown and HTML. */
function plain(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]()#|~<>&!]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Writes a text as code, in a fence longer than every run of back quotes in it. */
function code(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 && line.trim() !== '' ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
