import type { Finding } from '../coach/finding.js';
import { escapeText } from '../config.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** The options of the command, as the command line has them. */
export interface CoachOptions {
  readonly json?: true;
  readonly clear?: true;
}

/** Prints what the coach of a running server found, or makes it forget. `print` gets one line. */
export async function printFindings(
  config: CommandConfig,
  { json, clear }: CoachOptions,
  print: (line: string) => void,
): Promise<void> {
  if (clear) {
    await textOf(await askControl(config, { method: 'POST', path: '/coach/clear', body: {} }));
    return;
  }
  const answer = JSON.parse(await textOf(await askControl(config, { path: '/coach' })));
  const { findings } = answer as { readonly findings: readonly Finding[] };
  if (findings.length === 0 && !json) print('Nothing was found in the requests so far.');
  for (const finding of findings) {
    for (const line of json ? [JSON.stringify(finding)] : findingLines(finding)) print(escapeText(line));
  }
}

/** Returns a finding for people: rule, severity and numbers, then the query, what helps and where to look. */
export function findingLines(finding: Finding): readonly string[] {
  const { rule, severity, title, advice, chapter, table, shape, calls, read, returned, example, marks } = finding;
  const effort = read === 0 ? '' : `; ${read} entities read, ${returned} returned`;
  return [
    `${severity} ${rule} ${title}${table === '' ? '' : ` (${table})`}: ${calls} ${calls === 1 ? 'call' : 'calls'}${effort}`,
    `  ${shape}`,
    ...(example === undefined ? [] : [`  as in: ${example}`]),
    `  ${advice}${chapter === undefined ? '' : ` Table design guide: ${chapter}.`}`,
    `  tabularium requests --text ${finding.worstRequest}`,
    ...(marks.length === 0 ? [] : [`  seen in: ${marks.join(', ')}`]),
  ];
}
