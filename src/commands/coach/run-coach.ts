import { rootOf } from '../../client/connection-strings.js';
import { sendRequest, textOf } from '../../client/http-transport.js';
import { readValues } from '../../client/read-lines.js';
import { requestOf } from '../../client/request-of.js';
import { escapeText } from '../../config.js';
import { type Accepted, divideFindings } from '../../insight/coach/budget/accepted.js';
import type { Finding } from '../../insight/coach/finding.js';
import type { RunNumbers } from '../../insight/coach/report/coach-report.js';
import { nameOf } from '../../insight/rules/rule.js';
import { findingLines } from '../../verbs/coach.js';
import { peopleAt } from '../../verbs/fields.js';
import type { VerbRun } from '../verbs/verb-command.js';
import { placeOfReport, type ReportPlace, readAccepted } from './run-plan.js';

/** Prints the coach's findings that are not accepted, and writes reports. */
export const showFindings: VerbRun = async (server, verb, { input, json, own: { accept, report = [] } }, print) => {
  const entries = readAccepted(accept as string | undefined);
  const places = (report as readonly string[]).map(placeOfReport);
  const answer = JSON.parse(await textOf(await sendRequest(server, requestOf(verb, input)))) as RunNumbers;
  if (places.length > 0) await writeReports(answer, entries, places);
  const { findings, accepted, unused } = divideFindings(answer.findings, entries);
  if (json) {
    const shown = accepted.map(({ finding, why }) => ({ ...finding, why }));
    print(JSON.stringify({ ...answer, findings, ...(shown.length > 0 && { accepted: shown }) }));
    return 0;
  }
  if (answer.findings.length === 0) print('Nothing was found in the requests so far.');
  const lines = [
    ...findings.flatMap((finding) => findingLines(finding, peopleAt(rootOf(server.endpoint)))),
    ...accepted.map(({ finding, why }) => `accepted ${nameOf(finding)} ${finding.shape}: ${why}`),
    ...unused.map(unusedLine),
  ];
  for (const line of lines) print(escapeText(line));
  return 0;
};

/** Prints new findings of a server that are not accepted. */
export const followFindings: VerbRun = async (server, verb, { input, json, own: { accept } }, print) => {
  const entries = readAccepted(accept as string | undefined);
  const answer = await sendRequest(server, requestOf(verb, input));
  for await (const value of readValues(answer.setEncoding('utf8'))) {
    for (const finding of divideFindings([value as Finding], entries).findings) {
      const lines = json ? [JSON.stringify(finding)] : findingLines(finding, peopleAt(rootOf(server.endpoint)));
      for (const line of lines) print(escapeText(line));
    }
  }
  return 0;
};

async function writeReports(
  numbers: RunNumbers,
  accepted: readonly Accepted[],
  places: readonly ReportPlace[],
): Promise<void> {
  const [{ judgeRun }, { writeReport }] = await Promise.all([
    import('../../insight/coach/report/coach-report.js'),
    import('./write-report.js'),
  ]);
  const report = judgeRun(numbers, { limits: [], accepted });
  for (const place of places) await writeReport(report, place);
}

/** Returns the message about an entry that accepts no finding. */
export function unusedLine({ rule, table, why }: Accepted): string {
  return `The accepted ${rule}${table === undefined ? '' : ` in ${table}`} (${why}) was not found. Remove the entry.`;
}
