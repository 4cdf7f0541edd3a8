import { budgetSentence } from '../budget/budget.js';
import type { Finding } from '../finding.js';
import type { CoachReport } from './coach-report.js';
import { costOf, findingLine } from './finding-lines.js';

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}article{border-left:4px solid #888;padding:.2rem 1rem;margin:1rem 0}
.serious{border-color:#b10e1c}.warn{border-color:#bc4b09}.broken{font-weight:bold;color:#b10e1c}h3{margin:.3rem 0}
@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}.broken{color:#ff99a4}}`;

/** Writes a report as one HTML page without scripts, which loads nothing. Every text from a request is escaped. */
export function writeHtml(report: CoachReport): string {
  const { findings, accepted, unused, budget, usage, gaps } = report;
  const { requests, read, returned } = usage;
  const body = [
    '<h1>Tabularium coach</h1>',
    `<p>${requests} requests read ${read} entities and returned ${returned}.</p>`,
    ...gaps.map((gap) => `<p>${escapeHtml(gap)}</p>`),
    list(
      'Budget',
      budget.map((line) => writeLine(line.isBroken, budgetSentence(line))),
    ),
    findings.length === 0 ? '' : `<h2>Findings</h2>\n${findings.map(writeFinding).join('\n')}`,
    list(
      'Accepted',
      accepted.map(({ finding, why }) => `${escapeHtml(findingLine(finding))} ${escapeHtml(why)}`),
    ),
    list(
      'Accepted, but not found',
      unused.map(
        ({ rule, table = '', shape = '', why }) =>
          `${escapeHtml(`${rule} ${table} ${shape}`.trim())}: ${escapeHtml(why)}`,
      ),
    ),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Tabularium coach</title>
<style>${style}</style>
</head>
<body>
${body.filter((part) => part !== '').join('\n')}
</body>
</html>
`;
}

function writeLine(isBroken: boolean, sentence: string): string {
  return isBroken ? `<span class="broken">broken</span> ${escapeHtml(sentence)}` : `held ${escapeHtml(sentence)}`;
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0
    ? ''
    : `<h2>${title}</h2>\n<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
}

function writeFinding(finding: Finding): string {
  const { severity, shape, example, note, rewritten = [], advice, chapter, firstRequest, marks } = finding;
  const rows = [
    code(shape),
    ...(example === undefined ? [] : [`as in ${code(example)}`]),
    ...(note === undefined ? [] : [escapeHtml(note)]),
    `in the cloud: ${escapeHtml(costOf(finding))}`,
    ...(rewritten.length === 0 ? [] : [`instead ${rewritten.map(code).join(' and ')}`]),
    `${escapeHtml(advice)}${chapter === undefined ? '' : ` Table design guide: ${escapeHtml(chapter)}.`}`,
    `first request: ${code(firstRequest)}${marks.length === 0 ? '' : `, seen in ${marks.map(code).join(', ')}`}`,
  ];
  return `<article class="${severity}">\n<h3>${escapeHtml(findingLine(finding))}</h3>\n${rows.map((row) => `<p>${row}</p>`).join('\n')}\n</article>`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'\p{Cc}\u2028\u2029]/gu, (sign) => `&#${Math.max(sign.charCodeAt(0), 32)};`);
}
