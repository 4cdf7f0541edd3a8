import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { sendRequest, type TargetServer } from '../../client/http-transport.js';
import { requestOf, type VerbRequest } from '../../client/request-of.js';
import { ConfigError, escapeText } from '../../config.js';
import { type ImportReport, lineOfRejectedRow, type TransferFormat } from '../../transfer/contract.js';
import { findImportFiles, type ImportFile, plainNameOf } from '../../transfer/files/import-files.js';
import { decodeText, readLines } from '../../transfer/read-lines.js';
import { readTextFile } from '../../user-files/read-text-file.js';
import { counted } from '../../verbs/fields.js';
import { printError } from '../output.js';
import type { VerbArguments, VerbRun } from './verb-command.js';

/** Most rejected rows to print, except as JSON. (Our choice: the others usually have the same reason.) */
const printedRowsMax = 20;

/** Rows between two progress lines. */
const progressRows = 100_000;

/** Imports files into a server, and prints a report for each. Returns 1 if rows were rejected. Errors: ConfigError; StateFault. */
export const importFiles: VerbRun = async (server, verb, { input, json, own: { PATH: paths, map } }, print) => {
  const { format } = input as { readonly format?: TransferFormat };
  if ((paths as readonly string[]).length === 0) throw new ConfigError('PATH is missing, such as "people.csv".');
  const files = await Promise.all((paths as readonly string[]).map((path) => filesAt(path, format)));
  const mapText =
    map === undefined
      ? {}
      : {
          map: readTextFile({
            path: String(map),
            subject: `The map ${map}`,
            wanted: 'a JSON file as {"columns": {"Id": "RowKey"}}',
          }),
        };
  let isRejected = false;
  for (const { path, ...file } of files.flat()) {
    if (file.defaultTable !== undefined && input['table'] === undefined && file.defaultTable !== plainNameOf(path))
      printError(escapeText(`${path}: rows that name no table go to the table ${file.defaultTable}`));
    const report = await importFile(server, path, requestOf(verb, { ...input, ...file, ...mapText }));
    isRejected ||= report.rejectedRows > 0;
    if (json) print(JSON.stringify({ file: path, ...report }));
    else printReport(path, report, input, print);
  }
  return isRejected ? 1 : 0;
};

/** Returns the files at a path; `-` is standard input. */
async function filesAt(path: string, format: TransferFormat | undefined): Promise<readonly ImportFile[]> {
  return path === '-' ? [{ path, format: format ?? 'ndjson' }] : findImportFiles(path, format);
}

async function importFile(server: TargetServer, path: string, request: VerbRequest): Promise<ImportReport> {
  const stream: Readable = path === '-' ? process.stdin : createReadStream(path);
  const answer = await sendRequest(server, request, { stream, contentType: 'application/x-ndjson' });
  let printed = 0;
  for await (const value of progressOf(answer)) {
    if (value.done) return value as ImportReport;
    if (value.error !== undefined) throw new ConfigError(`${path} was not imported to its end. ${value.error}`);
    if ((value.rows ?? 0) >= printed + progressRows) {
      printed = value.rows ?? 0;
      printError(`${path}: ${printed} entities so far`);
    }
  }
  throw new ConfigError(`The import of ${path} was cut off. The rows imported so far stay.`);
}

type ProgressLine = Partial<ImportReport> & { readonly done?: boolean; readonly error?: string };

/** Yields the progress lines until the response ends or is cut off. */
async function* progressOf(answer: IncomingMessage): AsyncGenerator<ProgressLine> {
  try {
    for await (const part of readLines(decodeText(answer))) {
      for (const { text } of part) if (text !== undefined) yield JSON.parse(text) as ProgressLine;
    }
  } catch (error) {
    // A killed server cuts the connection, perhaps within a line.
    const isCutOff = error instanceof SyntaxError || (error instanceof Error && 'code' in error);
    if (!isCutOff) throw error;
  }
}

function printReport(
  path: string,
  { rows, tables, rejectedRows, rejected, inferred = {}, keysNotKept, ms }: ImportReport,
  { dryRun, mode }: VerbArguments['input'],
  print: (line: string) => void,
): void {
  for (const [table, types] of Object.entries(inferred)) {
    const chosen = Object.entries(types).map(([name, type]) => `${name} ${type}`);
    print(escapeText(`${table}: types are ${chosen.join(', ')}`));
  }
  for (const row of rejected.slice(0, printedRowsMax))
    printError(escapeText(lineOfRejectedRow({ ...row, file: path })));
  if (rejectedRows > printedRowsMax) printError(`… and ${rejectedRows - printedRowsMax} more; --json lists up to 1000`);
  if (mode === undefined && rejected.some(({ code }) => code === 'EntityAlreadyExists'))
    printError(
      'Entities that exist stay as they were. --mode replace replaces them, --mode merge merges the properties.',
    );
  if (keysNotKept !== undefined)
    printError(
      `${counted(keysNotKept, 'key was', 'keys were')} not kept: two rows of one entity among them are not found`,
    );
  const verb = dryRun === true ? 'can be imported' : 'imported';
  const failed = rejectedRows > 0 ? `, ${rejectedRows} rejected` : '';
  const amount = `${counted(rows, 'entity', 'entities')} in ${counted(tables, 'table')}`;
  print(escapeText(`${path}: ${amount} ${verb}${failed}, ${ms} ms`));
}
