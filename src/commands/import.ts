import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ConfigError, escapeText } from '../config.js';
import type { ImportReport, RefusedRow, TransferFormat } from '../transfer/contract.js';
import { findImportFiles, type ImportFile } from '../transfer/import-files.js';
import { decodeText, readLines } from '../transfer/read-lines.js';
import { readTextFile } from '../user-files/read-text-file.js';
import { askControl } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** What a call of the command asks for. */
export interface ImportQuestion {
  readonly paths: readonly string[];
  readonly account?: string;
  readonly table?: string;
  readonly format?: TransferFormat;
  readonly mode?: string;
  readonly strict?: true;
  readonly dryRun?: true;
  readonly infer?: true;
  /** The file of the map. */
  readonly map?: string;
  readonly json?: true;
}

/** Where the command writes. */
export interface ImportOutput {
  readonly print: (line: string) => void;
  /** Prints a line about the progress, or about a refused row. */
  readonly printProgress: (line: string) => void;
}

/** Number of refused rows that are printed, unless as JSON. Ours: the next ones mostly have the same reason. */
const printedRowsMax = 20;

/** Number of rows between two lines about the progress. */
const toldRows = 100_000;

/** Imports files into a running server. Returns whether rows were refused. Errors: ConfigError; StateFault; a system error. */
export async function importPaths(
  config: CommandConfig,
  { paths, json, map, ...question }: ImportQuestion,
  { print, printProgress }: ImportOutput,
): Promise<boolean> {
  const files = await Promise.all(paths.map((path) => filesAt(path, question.format)));
  const mapText =
    map === undefined
      ? undefined
      : readTextFile({ path: map, subject: `The map ${map}`, wanted: 'a JSON file as {"columns": {"Id": "RowKey"}}' });
  let isRefused = false;
  for (const file of files.flat()) {
    const report = await importFile(
      config,
      file,
      { ...question, ...(mapText !== undefined && { map: mapText }) },
      (rows) => printProgress(`${file.path}: ${rows} entities so far`),
    );
    isRefused ||= report.refusedRows > 0;
    if (json) print(JSON.stringify({ file: file.path, ...report }));
    else printReport(file.path, report, question.dryRun === true, { print, printProgress });
  }
  return isRefused;
}

/** Returns the files of a path. Standard input is one. */
async function filesAt(path: string, format: TransferFormat | undefined): Promise<readonly ImportFile[]> {
  return path === '-' ? [{ path, format: format ?? 'ndjson' }] : findImportFiles(path, format);
}

async function importFile(
  config: CommandConfig,
  { path, format, defaultTable }: ImportFile,
  { account, table, mode, strict, dryRun, infer, map }: Omit<ImportQuestion, 'paths' | 'json'>,
  tell: (rows: number) => void,
): Promise<ImportReport> {
  const query = new URLSearchParams({ format });
  const values = { account, table, defaultTable, mode, strict, dryRun, infer, map };
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  const stream: Readable = path === '-' ? process.stdin : createReadStream(path);
  const upload = { stream, contentType: 'application/x-ndjson' };
  const answer = await askControl(config, { method: 'POST', path: `/import?${query}`, upload });
  let told = 0;
  for await (const value of progressOf(answer)) {
    if (value.done) return value as ImportReport;
    if (value.error !== undefined) throw new ConfigError(`${path} was not imported to its end. ${value.error}`);
    if ((value.rows ?? 0) >= told + toldRows) {
      told = value.rows ?? 0;
      tell(told);
    }
  }
  throw new ConfigError(`The import of ${path} was cut off. What was imported so far stays.`);
}

/** A line of the answer to an import. */
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
  { rows, tables, refusedRows, refused, inferred = {}, keysNotKept, ms }: ImportReport,
  isDry: boolean,
  { print, printProgress }: ImportOutput,
): void {
  for (const [table, types] of Object.entries(inferred)) {
    const chosen = Object.entries(types).map(([name, type]) => `${name} ${type}`);
    print(escapeText(`${table}: types are ${chosen.join(', ')}`));
  }
  for (const row of refused.slice(0, printedRowsMax)) printProgress(escapeText(describeRow(path, row)));
  if (refusedRows > printedRowsMax)
    printProgress(`… and ${refusedRows - printedRowsMax} more; --json lists up to 1000`);
  if (keysNotKept !== undefined)
    printProgress(`${keysNotKept} keys were not kept: two rows of one entity among them are not found`);
  const verb = isDry ? 'can be imported' : 'imported';
  const failed = refusedRows > 0 ? `, ${refusedRows} refused` : '';
  print(`${path}: ${rows} entities in ${tables} tables ${verb}${failed}, ${ms} ms`);
}

function describeRow(path: string, { line, column, table, partitionKey, rowKey, code, message }: RefusedRow): string {
  const place = column === undefined ? `${path}:${line}` : `${path}:${line}:${column}`;
  const key = partitionKey === undefined && rowKey === undefined ? '' : ` ('${partitionKey ?? ''}', '${rowKey ?? ''}')`;
  return `${place}: ${table ?? 'no table'}${key}: ${code}: ${message}`;
}
