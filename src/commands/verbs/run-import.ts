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
import type { AskedVerb, VerbRun } from './verb-command.js';

/** Largest number of rejected rows that are printed, unless as JSON. (Our choice: the others usually have the same reason.) */
const printedRowsMax = 20;

/** Number of rows between two lines about the progress. */
const toldRows = 100_000;

/** Imports files into a server, and prints a report of each. Returns 1 if rows were rejected. Errors: ConfigError; StateFault. */
export const importFiles: VerbRun = async (server, verb, { asked, json, own: { PATH: paths, map } }, print) => {
  const { format } = asked as { readonly format?: TransferFormat };
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
    if (file.defaultTable !== undefined && asked['table'] === undefined && file.defaultTable !== plainNameOf(path))
      printError(escapeText(`${path}: rows that name no table go to the table ${file.defaultTable}`));
    const report = await importFile(server, path, requestOf(verb, { ...asked, ...file, ...mapText }));
    isRejected ||= report.rejectedRows > 0;
    if (json) print(JSON.stringify({ file: path, ...report }));
    else printReport(path, report, asked, print);
  }
  return isRejected ? 1 : 0;
};

/** Returns the files of a path. Standard input is one. */
async function filesAt(path: string, format: TransferFormat | undefined): Promise<readonly ImportFile[]> {
  return path === '-' ? [{ path, format: format ?? 'ndjson' }] : findImportFiles(path, format);
}

async function importFile(server: TargetServer, path: string, request: VerbRequest): Promise<ImportReport> {
  const stream: Readable = path === '-' ? process.stdin : createReadStream(path);
  const answer = await sendRequest(server, request, { stream, contentType: 'application/x-ndjson' });
  let told = 0;
  for await (const value of progressOf(answer)) {
    if (value.done) return value as ImportReport;
    if (value.error !== undefined) throw new ConfigError(`${path} was not imported to its end. ${value.error}`);
    if ((value.rows ?? 0) >= told + toldRows) {
      told = value.rows ?? 0;
      printError(`${path}: ${told} entities so far`);
    }
  }
  throw new ConfigError(`The import of ${path} was cut off. The rows imported so far stay.`);
}

type ProgressLine = Partial<ImportReport> & { readonly done?: boolean; readonly error?: string };

/** Yields the lines of an answer until it ends or is cut off. */
async function* progressOf(answer: IncomingMessage): AsyncGenerator<ProgressLine> {
  try {
    for await (const part of readLines(decodeText(answer))) {
      for (const { text } of part) if (text !== undefined) yield JSON.parse(text) as ProgressLine;
    }
  } catch (error) {
    // A server that was killed cuts the connection, maybe within a line.
    const isCutOff = error instanceof SyntaxError || (error instanceof Error && 'code' in error);
    if (!isCutOff) throw error;
  }
}

function printReport(
  path: string,
  { rows, tables, rejectedRows, rejected, inferred = {}, keysNotKept, ms }: ImportReport,
  { dryRun, mode }: AskedVerb['asked'],
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
  const what = `${counted(rows, 'entity', 'entities')} in ${counted(tables, 'table')}`;
  print(escapeText(`${path}: ${what} ${verb}${failed}, ${ms} ms`));
}
