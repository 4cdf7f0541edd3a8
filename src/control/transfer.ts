import { PassThrough, type Readable } from 'node:stream';
import {
  type ColumnMap,
  type ImportWish,
  importModes,
  type TransferFormat,
  transferFormats,
} from '../transfer/contract.js';
import type { ImportSource, Transfer } from '../transfer/transfer.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { isOn } from './check-query.js';
import { type ControlRow, ndjson } from './control-row.js';
import { FieldFault } from './read-fields.js';

/** Number of rows between two lines about the progress. */
const progressRows = 5000;

/** The media type of each format. */
const typeOf: Readonly<Record<TransferFormat, string>> = {
  ndjson,
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** Returns the rows that import and export data. `open` loads what they need. */
export function transferRows(open: () => Promise<Transfer>): readonly ControlRow[] {
  return [
    {
      method: 'POST',
      path: `${controlRoot}/import`,
      purpose:
        'imports the body; ?account=&table=&format=ndjson|json|csv&mode=insert|replace|merge&strict&dryRun&infer',
      query: {
        values: ['account', 'table', 'defaultTable', 'format', 'mode', 'map'],
        switches: ['strict', 'dryRun', 'infer'],
      },
      takes: 'upload',
      run: async ({ query, body, headers }) => {
        if (headers?.['content-encoding'] !== undefined) {
          throw new FieldFault('The body has a Content-Encoding. Send it uncompressed.');
        }
        const format = readChoice(query, 'format', transferFormats) ?? formatOf(headers?.['content-type']);
        const lines = importing(await open(), { format, open: () => body as Readable }, readImportWish(query));
        return { status: 200, contentType: ndjson, body: lines };
      },
    },
    {
      method: 'GET',
      path: `${controlRoot}/export`,
      purpose: 'exports data as it is at one moment; ?account=&table=&format=ndjson|json|csv&filter=&select=A,B',
      query: { values: ['account', 'table', 'format', 'filter', 'select'] },
      refusesHead: true,
      run: async ({ query }) => {
        const format = readChoice(query, 'format', transferFormats) ?? 'ndjson';
        const select = query.get('select')?.split(',');
        const body = await (await open()).export({
          ...textsOf(query, ['account', 'table', 'filter']),
          format,
          ...(select && { select }),
        });
        return { status: 200, contentType: typeOf[format], body };
      },
    },
  ];
}

/** Imports, and returns the lines of the answer: the progress, and the report or the error at the end. */
function importing(transfer: Transfer, source: ImportSource, wish: ImportWish): Readable {
  const answer = new PassThrough();
  // The client may leave before the end.
  const write = (line: object) => void (answer.writable && answer.write(`${JSON.stringify(line)}\n`));
  let told = 0;
  const onProgress = (rows: number) => {
    if (rows < told + progressRows) return;
    told = rows;
    write({ rows });
  };
  transfer
    .import([source], wish, onProgress)
    .then(
      (report) => write({ done: true, ...report }),
      (error: Error) => write({ done: false, error: error.message }),
    )
    .finally(() => answer.end());
  return answer;
}

function readImportWish(query: URLSearchParams): ImportWish {
  const mode = readChoice(query, 'mode', importModes);
  return {
    ...textsOf(query, ['account', 'table', 'defaultTable']),
    ...(mode && { mode }),
    strict: isOn(query, 'strict'),
    dryRun: isOn(query, 'dryRun'),
    infer: isOn(query, 'infer'),
    ...(query.has('map') && { map: readMap(query.get('map') ?? '') }),
  };
}

/** Parses a map. The import checks its form. Errors: FieldFault. */
function readMap(text: string): ColumnMap {
  try {
    return JSON.parse(text) as ColumnMap;
  } catch {
    throw new FieldFault('map is not JSON.');
  }
}

function formatOf(contentType: string | undefined): TransferFormat {
  if (contentType?.startsWith('text/csv')) return 'csv';
  return contentType?.startsWith('application/json') ? 'json' : 'ndjson';
}

function textsOf<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): { readonly [N in Name]?: string } {
  const found = names.flatMap((name) => (query.has(name) ? [[name, query.get(name)] as const] : []));
  return Object.fromEntries(found) as { readonly [N in Name]?: string };
}

function readChoice<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = query.get(name);
  const found = choices.find((one) => one === text);
  if (text === null || found !== undefined) return found;
  throw new FieldFault(`${name} cannot be '${text}'. Use one of: ${choices.join(', ')}.`);
}
