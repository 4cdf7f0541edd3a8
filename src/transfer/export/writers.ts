import type { TransferFormat } from '../contract.js';
import { writeCsv } from '../csv/write-csv.js';
import { writeJson } from '../json/write-json.js';
import { type ExportForm, writeNdjson } from '../json/write-ndjson.js';
import type { ExportedPart } from './export-parts.js';

/** A format as exports write it. */
interface Writer {
  /** What the format can hold at most; absent: everything. */
  readonly holds?: 'account' | 'table';
  /** Returns the text. `read` may be called more than once. Errors: StateFault for data that the format cannot hold. */
  write(
    read: () => AsyncIterable<ExportedPart>,
    form: ExportForm,
  ): AsyncIterable<string> | Promise<AsyncIterable<string>>;
}

/** The writer of each format. */
export const writers: Readonly<Record<TransferFormat, Writer>> = {
  ndjson: { write: (read, form) => writeNdjson(read(), form) },
  json: { holds: 'account', write: (read, form) => writeJson(read(), form) },
  csv: { holds: 'table', write: writeCsv },
};
