import { queryClassWords } from '../../queries/query-classes.js';
import { nameOf, shownReads } from '../../rules/rule.js';
import type { Finding } from '../finding.js';

/** Returns a finding on one line for people: severity, name, place, calls and title. */
export function findingLine(finding: Finding): string {
  const { severity, title, account, table, calls } = finding;
  const where = table === '' ? `account ${account}` : `${account}/${table}`;
  return `${severity} ${nameOf(finding)} in ${where}, ${calls} ${calls === 1 ? 'call' : 'calls'}: ${title}.`;
}

/** Returns the lines below that one: the query, its cost in the cloud, the filters to send instead, the advice and the marks. */
export function findingDetails(finding: Finding): readonly string[] {
  const { shape, example, note, rewritten = [], advice, chapter, marks } = finding;
  return [
    `${finding.class === undefined ? 'seen as' : 'query'}: ${shape}`,
    ...(example === undefined ? [] : [`as in: ${example}`]),
    ...(note === undefined ? [] : [note]),
    `in the cloud: ${costOf(finding)}`,
    ...rewritten.map((filter, at) => `${at === 0 ? 'instead' : 'and'}: ${filter}`),
    `${advice}${chapter === undefined ? '' : ` Table design guide: ${chapter}.`}`,
    ...(marks.length === 0 ? [] : [`seen in: ${marks.join(', ')}`]),
  ];
}

/** Returns the cost of a finding in the cloud, and the counts of this server. */
export function costOf({ costs, class: name, read, returned }: Finding): string {
  const words = costs ?? (name === undefined ? 'Each call is a request.' : queryClassWords[name]);
  return read === 0 ? words : `${words} ${shownReads(read, returned)}`;
}
