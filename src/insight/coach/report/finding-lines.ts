import { queryClassWords } from '../../queries/query-classes.js';
import { nameOf, shownReads } from '../../rules/rule.js';
import type { Finding } from '../finding.js';

/** Returns a finding for people, in one line: severity, name, place, what it is and how often. */
export function findingLine(finding: Finding): string {
  const { severity, title, account, table, calls } = finding;
  const where = table === '' ? `account ${account}` : `${account}/${table}`;
  return `${severity} ${nameOf(finding)} in ${where}, ${calls} ${calls === 1 ? 'call' : 'calls'}: ${title}.`;
}

/** Returns the whole of a finding below that line: the query, what it costs in the cloud, what to write instead, and where it is. */
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

/** Returns what a finding costs in the cloud, and what was counted here. */
export function costOf({ costs, class: name, read, returned }: Finding): string {
  const words = costs ?? (name === undefined ? 'Each call is a request.' : queryClassWords[name]);
  return read === 0 ? words : `${words} ${shownReads(read, returned)}`;
}
