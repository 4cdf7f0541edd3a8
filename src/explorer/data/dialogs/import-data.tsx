import { signal, useSignal } from '@preact/signals';
import { readValues } from '../../../client/read-lines.js';
import type { ImportReport } from '../../../transfer/contract.js';
import { account } from '../../model/session.js';
import { Dialog } from '../../parts/dialog.js';
import { Choice, onFields } from '../../parts/form.js';
import { countOf } from '../../parts/list.js';
import { fetchVerb, textOf } from '../../wire/control-client.js';
import { restart } from '../query/query.js';
import { loadTables, table } from '../tables.js';

/** The import modes by their labels. */
const modes = [
  ['Reject existing entities', 'insert'],
  ['Replace existing entities', 'replace'],
  ['Merge with existing entities', 'merge'],
] as const;

/** The content types by the format, which is the ending of a file; that of lines for others. */
const contentTypes: Readonly<Record<string, string>> = { csv: 'text/csv', json: 'application/json' };

/** Whether the dialog is open. */
export const isImportOpen = signal(false);

/** Imports a file into the table, and lists the rejected rows. */
export function ImportData() {
  const rows = useSignal<number | undefined>(undefined);
  const report = useSignal<ImportReport | undefined>(undefined);
  const fault = useSignal('');
  if (!isImportOpen.value) return null;
  const close = () => (isImportOpen.value = false);
  const run = async (file: File, options: object) => {
    [rows.value, report.value, fault.value] = [0, undefined, ''];
    try {
      report.value = await importFile(file, options, (count) => (rows.value = count));
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    rows.value = undefined;
    restart();
    void loadTables();
  };
  return (
    <Dialog label="Import into the table" onClose={close}>
      <h2>Import into {table.value}</h2>
      <form
        class="stack"
        onSubmit={onFields((fieldOf, form) => {
          const [file] = form.querySelector<HTMLInputElement>('[type=file]')?.files ?? [];
          const [mode, infer, map] = [fieldOf('mode'), fieldOf('infer') !== '', fieldOf('map')];
          if (file) void run(file, { mode, ...(infer && { infer }), ...(map !== '' && { map }) });
        })}
      >
        <label>
          NDJSON, JSON, or CSV from this page or Azure Storage Explorer
          <input type="file" required accept=".ndjson,.jsonl,.json,.csv" />
        </label>
        <Choice name="mode" label="Existing entities" options={modes} />
        <label class="pair">
          <input type="checkbox" name="infer" defaultChecked />
          Find the types of columns of CSV that name none
        </label>
        <label>
          Where the columns of CSV go, as JSON
          <input name="map" class="code" placeholder='{"columns": {"Country": "PartitionKey", "Notes": null}}' />
        </label>
        {rows.value !== undefined && <p role="status">{rows.value.toLocaleString('en')} rows so far…</p>}
        <p class="fault" role="alert">
          {fault.value}
        </p>
        {report.value && <Report report={report.value} />}
        <div class="actions line">
          <button type="button" onClick={close}>
            Close
          </button>
          <button type="submit" class="primary" disabled={rows.value !== undefined}>
            Import
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Report({ report: { rows, rejectedRows, rejected } }: { readonly report: ImportReport }) {
  return (
    <>
      <p role="status">
        Imported: <b>{countOf(rows, 'row')}</b>. Rejected: <b>{rejectedRows.toLocaleString('en')}</b>.
      </p>
      {rejected.length > 0 && (
        <ul class="things scrolling" aria-label="Rejected rows">
          {rejected.map(({ line, column, code, message }) => (
            <li key={`${line} ${column}`}>
              Line {line}
              {column !== undefined && `, column ${column}`}: {code}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A line of the answer: the progress, or the end. */
type ImportLine =
  | { readonly rows: number }
  | ({ readonly done: true } & ImportReport)
  | { readonly done: false; readonly error: string };

/** Imports a file. `onRows` is called with the number of rows so far. Errors: ControlError; Error with the server's message. */
async function importFile(file: File, options: object, onRows: (rows: number) => void): Promise<ImportReport> {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  const place = { account: account.value?.name ?? '', table: table.value ?? '' };
  const format = ending in contentTypes ? ending : 'ndjson';
  const body = file.slice(0, file.size, contentTypes[format] ?? 'application/x-ndjson');
  const answer = await fetchVerb('import', { ...place, ...options, format }, body);
  for await (const told of readValues(textOf(answer)) as AsyncIterable<ImportLine>) {
    if (!('done' in told)) onRows(told.rows);
    else if (told.done) return told;
    else throw new Error(told.error);
  }
  throw new Error('The server has ended the import before it was done.');
}
