import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
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
  return (
    <ImportDialog
      isOpen={isImportOpen}
      label="Import into the table"
      title={`Import into ${table.value}`}
      action="Import"
      start={async (fieldOf, form) => {
        const [file] = form.querySelector<HTMLInputElement>('[type=file]')?.files ?? [];
        const [mode, infer, map] = [fieldOf('mode'), fieldOf('infer') !== '', fieldOf('map')];
        return file && sendFile(file, { mode, ...(infer && { infer }), ...(map !== '' && { map }) });
      }}
    >
      <label>
        NDJSON, JSON, or CSV from this page or Azure Storage Explorer
        <input type="file" required accept=".ndjson,.jsonl,.json,.csv" />
      </label>
      <ExistingEntities />
      <label class="pair">
        <input type="checkbox" name="infer" defaultChecked />
        Find the types of columns of CSV that name none
      </label>
      <label>
        Where the columns of CSV go, as JSON
        <input name="map" class="code" placeholder='{"columns": {"Country": "PartitionKey", "Notes": null}}' />
      </label>
    </ImportDialog>
  );
}

/** The choice of an import mode. */
export function ExistingEntities() {
  return <Choice name="mode" label="Existing entities" options={modes} />;
}

/** A form whose answer is that of an import: the progress, then the report. `start` sends it, unless it returns nothing. */
export function ImportDialog(props: {
  readonly isOpen: Signal<boolean>;
  readonly label: string;
  readonly title: string;
  readonly action: string;
  readonly start: (fieldOf: (name: string) => string, form: HTMLFormElement) => Promise<Response | undefined>;
  readonly children: ComponentChildren;
}) {
  const { isOpen, label, title, action, start, children } = props;
  const rows = useSignal<number | undefined>(undefined);
  const report = useSignal<ImportReport | undefined>(undefined);
  const fault = useSignal('');
  if (!isOpen.value) return null;
  const close = () => (isOpen.value = false);
  const run = async (answer: Promise<Response | undefined>) => {
    [rows.value, report.value, fault.value] = [0, undefined, ''];
    try {
      report.value = await readReport(await answer, (count) => (rows.value = count));
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    rows.value = undefined;
    restart();
    void loadTables();
  };
  return (
    <Dialog label={label} onClose={close}>
      <h2>{title}</h2>
      <form class="stack" onSubmit={onFields((fieldOf, form) => void run(start(fieldOf, form)))}>
        {children}
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
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Report({ report: { rows, rejectedRows, rejected, notes = [] } }: { readonly report: ImportReport }) {
  return (
    <>
      <p role="status">
        Imported: <b>{countOf(rows, 'row')}</b>. Rejected: <b>{rejectedRows.toLocaleString('en')}</b>. {notes.join(' ')}
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

/** Sends a file to import. Errors: ControlError. */
function sendFile(file: File, options: object): Promise<Response> {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  const place = { account: account.value?.name ?? '', table: table.value ?? '' };
  const format = ending in contentTypes ? ending : 'ndjson';
  const body = file.slice(0, file.size, contentTypes[format] ?? 'application/x-ndjson');
  return fetchVerb('import', { ...place, ...options, format }, body);
}

/** Reads the answer. `onRows` is called with the number of rows so far. Errors: Error with the server's message. */
async function readReport(
  answer: Response | undefined,
  onRows: (rows: number) => void,
): Promise<ImportReport | undefined> {
  if (!answer) return undefined;
  for await (const told of readValues(textOf(answer)) as AsyncIterable<ImportLine>) {
    if (!('done' in told)) onRows(told.rows);
    else if (told.done) return told;
    else throw new Error(told.error);
  }
  throw new Error('The server has ended the import before it was done.');
}
