import { escapeText } from '../../config.js';
import type { ExplainedRequest } from '../../insight/explained-request.js';
import { urlOf } from '../../insight/journal/write-entry.js';
import { type UnexpectedRefusal, unexpectedRefusals } from '../../insight/report/unexpected-refusals.js';
import type { RunningServer } from '../../server.js';
import { why, whyLines } from '../../verbs/explanations.js';
import { counted } from '../../verbs/fields.js';

/** How many causes are printed. (Our choice: the output of the command stays on the screen.) */
const printedMax = 5;

/**
 * Prints the rejected requests of a command that failed, the newest last, each cause once and with its explanation. Nothing
 * printed needs the server, which is about to stop.
 */
export async function printRefusals(
  code: number,
  { journal, callVerb }: Pick<RunningServer, 'journal' | 'callVerb'>,
  print: (line: string) => void,
): Promise<void> {
  const all = journal ? unexpectedRefusals(journal) : [];
  if (all.length === 0) return;
  const shown = all.slice(-printedMax);
  const left = counted(countOf(all.slice(0, -printedMax)), 'earlier request');
  print(`The command exited with ${code}, and the server rejected ${counted(countOf(all), 'request')}:`);
  for (const refusal of shown) {
    const explained = (await callVerb(why, { id: refusal.entry.requestId })) as ExplainedRequest;
    for (const line of linesOf(refusal, explained)) print(escapeText(line));
  }
  if (all.length > shown.length) print(`  ${left} with other causes`);
}

function countOf(refusals: readonly UnexpectedRefusal[]): number {
  return refusals.reduce((sum, { requests }) => sum + requests, 0);
}

function linesOf({ entry, requests }: UnexpectedRefusal, explained: ExplainedRequest): readonly string[] {
  const [first = '', ...more] = whyLines(explained);
  const { pathname, search } = new URL(urlOf(entry), 'http://localhost');
  const times = requests === 1 ? '' : `, ${requests} times`;
  return [
    `  ${first}: ${entry.method} ${pathname}${search}${times}`,
    ...more.map((line) => `    ${line}`),
    ...(entry.mark === undefined ? [] : [`    seen in: ${entry.mark}`]),
    `    ${requests === 1 ? 'request' : 'last request'}: ${entry.requestId}`,
  ];
}
