import { randomBytes } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { anyOf, choice, count, described, flag, list, name, number, object, optional, text } from '../schema.js';
import {
  type ColumnMap,
  type ImportReport,
  type ImportWish,
  importModes,
  type TransferFormat,
  transferFormats,
} from '../transfer/contract.js';
import type { ImportSource, Transfer } from '../transfer/transfer.js';
import { account, table } from './fields.js';
import { fileVerb, linesVerb, RejectedCall, type VerbCaller } from './verb.js';

/** Rows between two progress lines. */
const progressRows = 5000;

/** A line of the answer of an import. */
const importLines = anyOf('The progress, or the end.', [
  object('ImportProgress', 'The progress.', { rows: count('Rows so far.') }),
  described<ImportReport & { readonly done: true }>('ImportReport', 'The result of an import.', 'transfer/contract'),
  object('ImportFailure', 'Why an import has ended.', { done: flag('False.'), error: name('Why.') }),
]);

export const importData = linesVerb({
  name: 'import',
  does: 'Import files or folders; the exit code is 1 if rows are rejected.',
  notes:
    'Imports all rows except those that the service would reject, which are in the report. Over HTTP, the body is the uncompressed file, and the response is lines of JSON: the progress, then the report or the error.',
  http: 'POST /import',
  changes: 'data',
  example: 'import people.csv --mode replace',
  uploads: true,
  takes: {
    account: account('The account (default: the one that the data names, or the first one).'),
    table: optional(
      name('The table for everything (default: the one that the data or the file names).', { value: 'NAME' }),
    ),
    defaultTable: optional(name('The table of rows for which the data names none.', { value: 'NAME' })),
    format: optional(choice('The format (default: that of the file).', transferFormats, { value: 'FORMAT' })),
    mode: optional(choice('How to import entities that exist (default: insert).', importModes, { value: 'MODE' })),
    strict: optional(flag('Import nothing of a file if one of its rows is rejected.')),
    dryRun: optional(flag('Check the rows and import none.')),
    infer: optional(flag('Choose types for columns of CSV that have none.')),
    map: optional(
      name('Where the columns of CSV go, as JSON.', { value: 'MAP', example: '{"columns":{"Id":"RowKey"}}' }),
    ),
  },
  sends: 'lines',
  answers: importLines,
  async run({ openTransfer }, { format, map, ...wish }, caller) {
    const columns = map === undefined ? undefined : readMap(map);
    const upload = uploadOf(caller);
    const source = { format: format ?? formatOf(caller.headers?.['content-type']), open: () => upload };
    return importInLines(await openTransfer(), source, { ...wish, ...(columns && { map: columns }) });
  },
  lines: (line) => [JSON.stringify(line)],
});

export const copyAccount = linesVerb({
  name: 'copy',
  does: 'Copy the tables of another account into this server.',
  notes:
    'Reads them as they are at the moment, and imports them with the rules of import. The connection string is neither logged nor kept. The command copy copies between any two ends, continues after an interruption, and verifies.',
  http: 'POST /copy',
  changes: 'data',
  isForPage: true,
  example: 'copy',
  takes: {
    from: name('A connection string with a key or a signature, or a signed URL.', { value: 'SOURCE' }),
    tables: optional(list('Only these tables; `*` stands for any part of a name.', name('A name.'))),
    filter: optional(name('Only the entities that this $filter finds.', { value: 'FILTER' })),
    mask: optional(
      list('Other values of the same form for these properties; `TABLE.NAME` for one table.', name('A name.')),
    ),
    sample: optional(number('Share of the partitions.', 0, 1)),
    mode: optional(choice('How to import entities that exist (default: insert).', importModes, { value: 'MODE' })),
    account: account('The account that gets them (default: the first one).'),
  },
  sends: 'lines',
  answers: importLines,
  async run({ openTransfer }, { from, tables = [], filter, mask = [], sample = 1, ...wish }, { gone }) {
    const { streamAccount } = await import('../copy/account-stream.js');
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    const source = { from, tables, filter, mask, sample, maskKey: randomBytes(16).toString('hex'), onNote };
    try {
      const bytes = streamAccount(source, gone);
      return importInLines(await openTransfer(), { format: 'ndjson', open: () => bytes }, wish, notes);
    } catch (error) {
      throw new RejectedCall(400, (error as Error).message);
    }
  },
  lines: (line) => [JSON.stringify(line)],
});

/** Imports a source. Returns the lines of the answer: the progress, then the report, with notes if there are some then, or the error. */
function importInLines(
  transfer: Transfer,
  source: ImportSource,
  wish: ImportWish,
  notes: readonly string[] = [],
): Readable {
  const answer = new PassThrough();
  // The client may disconnect before the end.
  const write = (line: object) => void (answer.writable && answer.write(`${JSON.stringify(line)}\n`));
  let reported = 0;
  const onProgress = (rows: number) => {
    if (rows < reported + progressRows) return;
    reported = rows;
    write({ rows });
  };
  transfer
    .import([source], wish, onProgress)
    .then(
      (report) => write({ done: true, ...report, ...(notes.length > 0 && { notes }) }),
      (error: Error) => write({ done: false, error: error.message }),
    )
    .finally(() => answer.end());
  return answer;
}

/** Returns the uploaded stream. Errors: RejectedCall if it is missing or compressed. */
function uploadOf({ headers, body }: VerbCaller): Readable {
  if (headers?.['content-encoding'] !== undefined)
    throw new RejectedCall(400, 'The body has a Content-Encoding. Send it uncompressed.');
  if (!body) throw new RejectedCall(400, 'There is nothing to import. Send a body.');
  return body as Readable;
}

/** Parses a map without validating it, which the import does. Errors: RejectedCall. */
function readMap(text: string): ColumnMap {
  try {
    return JSON.parse(text) as ColumnMap;
  } catch {
    throw new RejectedCall(400, "'map' must be JSON.");
  }
}

function formatOf(contentType: string | undefined): TransferFormat {
  if (contentType?.startsWith('text/csv')) return 'csv';
  return contentType?.startsWith('application/json') ? 'json' : 'ndjson';
}

const typeOf: Readonly<Record<TransferFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

export const exportData = fileVerb({
  name: 'export',
  does: 'Export data as of one moment.',
  notes:
    'The command writes to a PATH: a file, whose extension determines the format, or a folder, which gets one file per table. A failed export leaves an older one unchanged.',
  http: 'GET /export',
  changes: 'nothing',
  example: 'export people.csv --table People',
  takes: {
    account: account('Only this account.'),
    table: optional(table('Only this table.')),
    format: optional(
      choice('The format (default: that of the file, or ndjson).', transferFormats, { value: 'FORMAT' }),
    ),
    filter: optional(name('Only the entities that this $filter finds.', { value: 'FILTER', example: 'Size gt 1' })),
    select: optional(list('Only these properties.', name('A property.'), { value: 'NAMES', example: 'Name,Size' })),
  },
  sends: 'file',
  types: Object.values(typeOf),
  answers: text('The data.'),
  async run({ openTransfer }, { format = 'ndjson', ...wish }) {
    return { contentType: typeOf[format], body: await (await openTransfer()).export({ ...wish, format }) };
  },
});
