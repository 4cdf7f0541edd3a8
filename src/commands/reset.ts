import type { ResetReport, ResetTarget } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

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
  print(`${what}${undoHint(entities ?? tables, undo)}`);
}

/** Returns what the line of a call ends with that has removed `removed` things and can be undone. */
export function undoHint(removed: number, id: string | undefined): string {
  return id === undefined || removed === 0 ? '' : `; tabularium undo ${id} gives it back`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
