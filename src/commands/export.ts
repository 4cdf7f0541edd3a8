import { once } from 'node:events';
import type { TransferFormat } from '../transfer/contract.js';
import { formatOfFile } from '../transfer/import-files.js';
import { writeExport } from '../transfer/write-aside.js';
import { askControl } from './ask-control.js';
import { writeOut } from './output.js';
import type { CommandConfig } from './server-options.js';

/** What a call of the command asks for. */
export interface ExportQuestion {
  readonly account?: string;
  readonly table?: string;
  readonly format?: TransferFormat;
  readonly filter?: string;
  readonly select?: string;
  /** A file or a folder; standard output if it is absent. */
  readonly output?: string;
}

/** Exports the data of a running server. Errors: ConfigError; StateFault for a path that has other data; a system error. */
export async function exportData(
  config: CommandConfig,
  { output, format, account, table, filter, select }: ExportQuestion,
  printProgress: (line: string) => void,
): Promise<void> {
  const chosen = format ?? (output === undefined ? undefined : formatOfFile(output)) ?? 'ndjson';
  const query = new URLSearchParams({ format: chosen });
  const values = { account, table, filter, select };
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  const answer = await askControl(config, { path: `/export?${query}` });
  if (output !== undefined) {
    await writeExport(output, chosen, answer);
    return printProgress(`${output} is written`);
  }
  for await (const part of answer.setEncoding('utf8')) {
    if (!writeOut(part)) await once(process.stdout, 'drain');
  }
}
