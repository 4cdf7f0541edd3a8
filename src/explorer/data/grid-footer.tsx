import { type Entity, propertyOf, systemColumns, writeBody } from '../base/entity.js';
import { mayEdit, reader } from '../model/identities.js';
import { showDone, showError } from '../model/notices.js';
import { account } from '../model/session.js';
import { copyText } from '../parts/copy.js';
import { Icon } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { Unsaved } from '../parts/unsaved.js';
import { fetchVerb, saveAnswer } from '../wire/control-client.js';
import { hiddenColumns, resetColumns, setHidden } from './columns.js';
import { askToDelete, openDialog } from './dialogs/open-dialog.js';
import { clearSelection, selectedCount, selection } from './grid/state.js';
import { cloneEntity } from './panel/panel-state.js';
import { filter, select } from './query/query.js';
import { hasMore, isPaused, progress, readMore } from './rows.js';
import { counts, table } from './tables.js';

/** The actions for the selected entities, or for all results of the query. */
export function GridFooter() {
  return (
    <footer class="grid-footer line">
      <Unsaved isUpwards />
      {selectedCount.value > 0 ? <SelectionActions /> : <Position />}
      <span class="space" />
      {hiddenColumns.value.length > 0 && <HiddenColumns />}
      {/* An export has the rights of the owner. */}
      {reader.value === undefined && <ExportMenu />}
      {mayEdit.value && (
        <button type="button" onClick={() => (openDialog.value = { kind: 'import' })}>
          <Icon name="import" />
          Import…
        </button>
      )}
      {mayEdit.value && selectedCount.value === 0 && (
        <button type="button" disabled={progress.value.returned === 0} onClick={() => askToDelete('query')}>
          <Icon name="delete" />
          Delete the results…
        </button>
      )}
    </footer>
  );
}

function SelectionActions() {
  const count = selectedCount.value;
  const [first] = selection.value.values();
  return (
    <>
      <b>{count.toLocaleString('en')} selected</b>
      {mayEdit.value && (
        <>
          {count === 1 && first && (
            <button type="button" onClick={() => cloneEntity(first)}>
              <Icon name="branch" />
              Clone
            </button>
          )}
          <button type="button" onClick={() => askToDelete('selection')}>
            <Icon name="delete" />
            Delete…
          </button>
        </>
      )}
      <Menu
        label="Copy"
        icon="copy"
        isUpwards
        items={[
          { label: 'As NDJSON', run: () => void copySelected('json') },
          { label: 'As tab-separated values', run: () => void copySelected('tsv') },
        ]}
      />
      <button type="button" class="quiet" onClick={clearSelection}>
        Select none
      </button>
    </>
  );
}

function Position() {
  const { returned, status, emptyInARow } = progress.value;
  const total = hasMore.value ? counts.value.get(table.value ?? '') : undefined;
  return (
    <>
      <span>
        {hasMore.value ? `${returned.toLocaleString('en')} read so far` : countOf(returned, 'entity', 'entities')}
        {total !== undefined && ` · the table has ${total.toLocaleString('en')}`}
        {isPaused.value && ` · the last ${emptyInARow} pages were empty`}
      </span>
      {hasMore.value && (
        <button type="button" disabled={status === 'reading'} onClick={() => void readMore()}>
          Read more
        </button>
      )}
    </>
  );
}

function HiddenColumns() {
  const items = hiddenColumns.value.map((name) => ({ label: name, run: () => setHidden(name, false) }));
  return (
    <Menu
      label={`${items.length} hidden`}
      icon="columns"
      isUpwards
      items={[...items, { label: 'Show all', run: resetColumns }]}
    />
  );
}

/** The formats of an export. */
const forms = [
  { format: 'ndjson', label: 'Lines of JSON, without loss' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV with types' },
] as const;

/** Exports the results of the query, or the whole table. */
function ExportMenu() {
  return (
    <Menu label={isAll() ? 'Export the table' : 'Export this query'} icon="export" isUpwards items={exportItems()} />
  );
}

/** Returns the exports that the query makes possible, in each form. */
function exportItems(): readonly MenuItem[] {
  return forms.flatMap(({ format, label }) => [
    {
      label: `${isAll() ? 'The table' : 'This query'}: ${label}`,
      run: () => download(format, !isAll()).catch(showError),
    },
    ...(isAll() ? [] : [{ label: `The whole table: ${label}`, run: () => download(format, false).catch(showError) }]),
  ]);
}

function isAll(): boolean {
  return filter.value === '' && select.value === undefined;
}

async function download(format: string, isQuery: boolean): Promise<void> {
  const name = table.value ?? '';
  const options = {
    ...{ account: account.value?.name ?? '', table: name, format },
    ...(isQuery && filter.value !== '' && { filter: filter.value }),
    ...(isQuery && select.value && { select: select.value }),
  };
  await saveAnswer(await fetchVerb('export', options), `${name}.${format}`);
  showDone(`Exported ${name}.`);
}

/** Copies the selected entities: as lines of JSON, without loss, or as columns for a table. */
async function copySelected(form: 'json' | 'tsv'): Promise<void> {
  const entities = [...selection.value.values()];
  const text = form === 'json' ? entities.map(lineOf).join('\n') : columnsOf(entities);
  await copyText(text, countOf(entities.length, 'entity', 'entities'));
}

function lineOf(entity: Entity): string {
  return writeBody(entity.properties, entity);
}

function columnsOf(entities: readonly Entity[]): string {
  const names = [...new Set([...systemColumns, ...entities.flatMap(({ properties }) => [...properties.keys()])])];
  const rows = entities.map((entity) => names.map((name) => cell(propertyOf(entity, name)?.text ?? '')));
  return [names, ...rows].map((row) => row.join('\t')).join('\n');
}

/** Returns a text without the characters that end a cell. */
function cell(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}
