import { useSignal } from '@preact/signals';
import { readValues } from '../../../client/read-lines.js';
import type { ImportMode, ImportReport } from '../../../transfer/contract.js';
import { account } from '../../model/session.js';
import { Dialog } from '../../parts/dialog.js';
import { TypeOptions } from '../../parts/form.js';
import { countOf, TableHead } from '../../parts/list.js';
import { textOf, uploadVerb } from '../../wire/control-client.js';
import { restart } from '../query/query.js';
import { loadTables, table } from '../tables.js';
import { type MappedColumn, mapOf, readColumns } from './csv-header.js';
import { closeDialog } from './open-dialog.js';

/** Labels of the import modes. */
const modeWords: Readonly<Record<ImportMode, string>> = {
  insert: 'Reject existing entities',
  replace: 'Replace existing entities',
  merge: 'Merge with existing entities',
};

/** Imports a file into the table, and lists the rejected rows. */
export function ImportData() {
  const file = useSignal<File | undefined>(undefined);
  const mode = useSignal<ImportMode>('insert');
  const infers = useSignal(true);
  const columns = useSignal<readonly MappedColumn[]>([]);
  const rows = useSignal<number | undefined>(undefined);
  const report = useSignal<(ImportReport & { readonly isCheck: boolean }) | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const run = async (dryRun: boolean) => {
    if (!file.value) return;
    const wish: ImportWish = {
      table: table.value ?? '',
      mode: mode.value,
      infers: infers.value,
      columns: columns.value,
      dryRun,
    };
    rows.value = 0;
    fault.value = undefined;
    report.value = undefined;
    try {
      report.value = { ...(await importFile(file.value, wish, (count) => (rows.value = count))), isCheck: dryRun };
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
    rows.value = undefined;
    if (!dryRun) {
      restart();
      void loadTables();
    }
  };
  const choose = async (chosen: File | undefined) => {
    file.value = chosen;
    report.value = undefined;
    columns.value = chosen?.name.endsWith('.csv') ? await readColumns(chosen) : [];
  };
  const isRunning = rows.value !== undefined;
  return (
    <Dialog label="Import into the table" onClose={closeDialog}>
      <h2>Import into {table.value}</h2>
      <div class="stack">
        <label for="import-file">NDJSON, JSON, or CSV from this page or Azure Storage Explorer</label>
        <input
          id="import-file"
          type="file"
          accept=".ndjson,.jsonl,.json,.csv"
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        <label for="import-mode">Existing entities</label>
        <select
          id="import-mode"
          value={mode.value}
          onChange={({ currentTarget }) => (mode.value = currentTarget.value as ImportMode)}
        >
          {Object.entries(modeWords).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        {file.value?.name.endsWith('.csv') && (
          <label class="pair">
            <input
              type="checkbox"
              checked={infers.value}
              onChange={({ currentTarget }) => (infers.value = currentTarget.checked)}
            />
            Find the types of columns that name none
          </label>
        )}
      </div>
      {columns.value.length > 0 && !report.value && (
        <ColumnMapping columns={columns.value} change={(next) => (columns.value = next)} />
      )}
      {isRunning && <p role="status">{rows.value?.toLocaleString('en')} rows so far…</p>}
      {fault.value !== undefined && <p class="fault">{fault.value}</p>}
      {report.value && <Report report={report.value} />}
      <div class="actions line">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
        <button type="button" disabled={!file.value || isRunning} onClick={() => void run(true)}>
          Only check
        </button>
        <button type="button" class="primary" disabled={!file.value || isRunning} onClick={() => void run(false)}>
          Import
        </button>
      </div>
    </Dialog>
  );
}

function Report({ report }: { readonly report: ImportReport & { readonly isCheck: boolean } }) {
  const { rows, rejectedRows, rejected, isCheck } = report;
  return (
    <>
      <p role="status">
        {isCheck ? 'Valid' : 'Imported'}: <b>{countOf(rows, 'row')}</b>. Rejected:{' '}
        <b>{rejectedRows.toLocaleString('en')}</b>.
      </p>
      {rejected.length > 0 && (
        <div class="scrolling">
          <table class="difference">
            <TableHead columns={['Line', 'Column', 'Why']} />
            <tbody>
              {rejected.map(({ line, column, code, message }) => (
                <tr key={`${line} ${column}`}>
                  <td>{line}</td>
                  <td>{column ?? ''}</td>
                  <td>
                    {code}: {message}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Maps the columns of a CSV file to properties and types. */
function ColumnMapping(props: {
  readonly columns: readonly MappedColumn[];
  readonly change: (columns: readonly MappedColumn[]) => void;
}) {
  const { columns, change } = props;
  const set = (at: number, changed: Partial<MappedColumn>) => {
    const column = columns[at];
    if (column) change(columns.with(at, { ...column, ...changed }));
  };
  return (
    <div class="scrolling">
      <table class="difference">
        <TableHead columns={['Column', 'Property', 'Type, unless given in the file']} />
        <tbody>
          {columns.map(({ column, property, type }, at) => (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td>
                <input
                  aria-label={`Property of ${column}`}
                  list="key-names"
                  placeholder="left out"
                  value={property}
                  onInput={({ currentTarget }) => set(at, { property: currentTarget.value.trim() })}
                />
              </td>
              <td>
                <select
                  aria-label={`Type of ${column}`}
                  value={type}
                  onChange={({ currentTarget }) => set(at, { type: currentTarget.value })}
                >
                  <option value="">as found</option>
                  <TypeOptions />
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <datalist id="key-names">
        <option value="PartitionKey" />
        <option value="RowKey" />
      </datalist>
    </div>
  );
}

interface ImportWish {
  readonly table: string;
  readonly mode: ImportMode;
  /** Whether types of untyped CSV columns are inferred. */
  readonly infers: boolean;
  /** The mapping of CSV columns; empty for another format. */
  readonly columns: readonly MappedColumn[];
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

/** Imports a file. `onRows` is called with the number of rows so far. Errors: ControlError; Error with the server's message. */
async function importFile(file: File, wish: ImportWish, onRows: (rows: number) => void): Promise<ImportReport> {
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
