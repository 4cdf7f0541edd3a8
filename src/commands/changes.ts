import { escapeText } from '../config.js';
import type { TableChanges, WrittenChange } from '../insight/changes/written-change.js';
import { askControl, linesIn } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** The options of the command, as the command line has them. */
export interface ChangesOptions {
  readonly since?: string;
  readonly until?: string;
  readonly account?: string;
  readonly table?: string;
  readonly byTable?: true;
  readonly follow?: true;
  readonly json?: true;
}

/** Prints what a running server wrote; with `follow`, each new change as it comes. `print` gets one line. */
export async function printChanges(
  config: CommandConfig,
  { byTable, follow, json, ...options }: ChangesOptions,
  print: (line: string) => void,
): Promise<void> {
  const query = new URLSearchParams();
  for (const name of ['since', 'until', 'account', 'table'] as const) {
    const value = options[name];
    if (value !== undefined) query.set(name, value);
  }
  if (byTable) query.set('group', 'table');
  if (follow) query.set('follow', '');
  const answer = await askControl(config, { path: `/changes?${query}` });
  for await (const line of linesIn(answer)) {
    if (json) print(line);
    else for (const text of linesOf(JSON.parse(line))) print(escapeText(text));
  }
}

/** A line of the answer: its head, a change, the changes of a table, or how many changes are missing. */
type AnsweredLine = { readonly scope: string } | WrittenChange | TableChanges | { readonly dropped: number };

function linesOf(line: AnsweredLine): readonly string[] {
  if ('scope' in line) return [];
  if ('dropped' in line) return [`${line.dropped} changes came too fast and are not shown`];
  if ('kind' in line) return [`${line.seq} ${line.at.slice(11, 23)} ${line.account}/${line.table} ${wordsOf(line)}`];
  const { account, table, changes } = line;
  return [`${account}/${table}: ${countsOf(changes)}`, ...changes.map((change) => `  ${wordsOf(change)}`)];
}

/** Writes a change for people: what it did, with which entity, for which request, under which mark. */
function wordsOf({ kind, partitionKey, rowKey, requestId, mark }: WrittenChange): string {
  const words = [
    kind,
    JSON.stringify(partitionKey),
    JSON.stringify(rowKey),
    ...(requestId === undefined ? [] : [requestId]),
    ...(mark === undefined ? [] : [`[${mark}]`]),
  ];
  return words.join(' ');
}

function countsOf(changes: readonly WrittenChange[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
