import { escapeText } from '../config.js';
import type { Difference, DiffReport } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** What a call of the command asks for, as the query of `/_tabularium/diff` has it. */
export interface DiffQuestion {
  readonly from: string;
  readonly to?: string | undefined;
  readonly account?: string;
  readonly table?: string;
  readonly limit?: string;
  readonly json?: true;
}

const signs: Readonly<Record<Difference['kind'], string>> = {
  'table-added': '+',
  'table-removed': '-',
  added: '+',
  removed: '-',
  changed: '~',
};

/** Prints what differs between two states of a running server. `print` gets one line. Returns whether anything does. */
export async function printDiff(
  config: CommandConfig,
  { from, to, account, table, limit, json }: DiffQuestion,
  print: (line: string) => void,
): Promise<boolean> {
  const query = new URLSearchParams();
  // Not the rest of the options, which has those of the server, too.
  for (const [name, value] of Object.entries({ from, to, account, table, limit }))
    if (value !== undefined) query.set(name, value);
  const text = await textOf(await askControl(config, { path: `/diff?${query}` }));
  const { differences, more } = JSON.parse(text) as DiffReport;
  if (json) print(text.trimEnd());
  else {
    for (const { kind, table, partitionKey, rowKey } of differences) {
      const key = partitionKey === undefined ? '' : ` ${JSON.stringify(partitionKey)} ${JSON.stringify(rowKey)}`;
      print(escapeText(`${signs[kind]} ${table}${key}`));
    }
    if (more) print('There are more. Ask for them with --limit, or for one --table.');
  }
  return differences.length > 0;
}
