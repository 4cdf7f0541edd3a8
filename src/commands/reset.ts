import { commandLine } from '../command-line.js';
import type { ResetReport, ResetTarget } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';
import { askedRoot } from './server-url.js';

/** Resets the data of a running server and prints what was reset. `print` gets one line. */
export async function reset(
  config: CommandConfig,
  { account, table, tablePrefix, partition, to, json }: ResetTarget & { readonly json?: true },
  print: (line: string) => void,
): Promise<void> {
  // Not the rest of the options, which has those of the server, too.
  const target = { account, table, tablePrefix, partition, to };
  const text = await textOf(await askControl(config, { method: 'POST', path: '/reset', body: target }));
  if (json) return print(text.trimEnd());
  const { tables, entities, undo } = JSON.parse(text) as ResetReport;
  const what =
    entities === undefined ? `${count(tables, 'table')} reset` : `${count(entities, 'entity', 'entities')} deleted`;
  print(`${what}${undoHint(entities ?? tables, undo, askedRoot(config))}`);
}

/** Returns the end of the line of a call that removed `removed` things from `server`: how to undo it, if that is possible. */
export function undoHint(removed: number, id: string | undefined, server: string): string {
  return id === undefined || removed === 0 ? '' : `; ${commandLine(`undo ${id}`, server)} gives it back`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
