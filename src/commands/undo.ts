import { ConfigError, escapeText } from '../config.js';
import type { UndoReport, UndoSummary } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** What a call of the command asks for. */
export interface UndoQuestion {
  /** The id of the call to undo; undefined for the newest. */
  readonly id: string | undefined;
  readonly list?: true;
  readonly json?: true;
}

/** Gives back what a call to a running server has removed, or lists such calls. `print` gets one line. */
export async function undo(
  config: CommandConfig,
  { id, list, json }: UndoQuestion,
  print: (line: string) => void,
): Promise<void> {
  if (list && id !== undefined) throw new ConfigError('--list prints all that can be undone. Leave out the id.');
  const question = list
    ? { path: '/undo' }
    : ({ method: 'POST', path: id === undefined ? '/undo' : `/undo/${encodeURIComponent(id)}`, body: {} } as const);
  const text = await textOf(await askControl(config, question));
  if (json) return print(text.trimEnd());
  const answer = JSON.parse(text);
  const lines = list ? (answer as { readonly undo: readonly UndoSummary[] }).undo.map(lineOf) : linesOf(answer);
  for (const line of lines) print(escapeText(line));
}

function lineOf({ id, what, at, until }: UndoSummary): string {
  return `${id} ${at} ${what}, until ${until}`;
}

function linesOf({ what, tables, entities, leftOut, leftOutCount }: UndoReport): readonly string[] {
  const more = leftOutCount - leftOut.length;
  return [
    `undone: ${what}; ${tables} tables as before, ${entities} entities given back in others`,
    ...leftOut.map(({ account, table, partitionKey, rowKey, why }) => {
      const key = partitionKey === undefined ? '' : ` ${JSON.stringify(partitionKey)} ${JSON.stringify(rowKey)}`;
      return `left out ${account}/${table}${key}: ${why}`;
    }),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
