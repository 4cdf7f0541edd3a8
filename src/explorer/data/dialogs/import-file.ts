import { readValues } from '../../../client/read-lines.js';
import type { ImportMode, ImportReport } from '../../../transfer/contract.js';
import { textOf, uploadVerb } from '../../client/control-client.js';
import { account } from '../../model/session.js';
import { type MappedColumn, mapOf } from './csv-header.js';

/** How a file is imported. */
export interface ImportWish {
  readonly table: string;
  readonly mode: ImportMode;
  /** Whether columns of CSV without a type get one that fits. */
  readonly infers: boolean;
  /** Where the columns of CSV go; empty for another format. */
  readonly columns: readonly MappedColumn[];
  /** Whether rows are only checked. */
  readonly dryRun: boolean;
}

/** A line of the answer: the progress, or the end. */
type ImportLine =
  | { readonly rows: number }
  | ({ readonly done: true } & ImportReport)
  | { readonly done: false; readonly error: string };

/** The formats by the ending of the file. */
const formats: ReadonlyMap<string, { readonly format: string; readonly contentType: string }> = new Map([
  ['csv', { format: 'csv', contentType: 'text/csv' }],
  ['json', { format: 'json', contentType: 'application/json' }],
]);

const lines = { format: 'ndjson', contentType: 'application/x-ndjson' } as const;

/** Imports a file. `onRows` is called with the number of rows so far. Errors: ControlError; Error with the server's words. */
export async function importFile(file: File, wish: ImportWish, onRows: (rows: number) => void): Promise<ImportReport> {
  const { format, contentType } = formats.get(file.name.split('.').at(-1)?.toLowerCase() ?? '') ?? lines;
  const map = mapOf(wish.columns);
  const answer = await uploadVerb(
    'import',
    {
      ...{ account: account.value?.name ?? '', table: wish.table, mode: wish.mode, format },
      ...(wish.dryRun && { dryRun: true }),
      ...(wish.infers && format === 'csv' && { infer: true }),
      ...(map && { map: JSON.stringify(map) }),
    },
    file,
    contentType,
  );
  let report: ImportReport | undefined;
  for await (const told of readValues(textOf(answer)) as AsyncIterable<ImportLine>) {
    if (!('done' in told)) onRows(told.rows);
    else if (told.done) report = told;
    else throw new Error(told.error);
  }
  if (!report) throw new Error('The server has ended the import before it was done.');
  return report;
}
