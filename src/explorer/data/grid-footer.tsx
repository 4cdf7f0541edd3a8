import { Icon } from '../parts/icon.js';
import { Menu } from '../parts/menu.js';
import { mayEdit, reader } from '../shell/read-as.js';
import { hiddenColumns, resetColumns, setHidden } from './columns.js';
import { copySelected } from './copy/copy-rows.js';
import { ExportMenu } from './dialogs/export-menu.js';
import { askToDelete, openDialog } from './dialogs/open-dialog.js';
import { cloneEntity } from './drawer/drawer-state.js';
import { hasMore, isPaused, progress, readMore } from './rows.js';
import { clearSelection, selectedCount, selection } from './selection.js';
import { counts, table } from './tables.js';

/** What can be done with the entities that are selected, and with all that the query finds. */
export function GridFooter() {
  return (
    <footer class="grid-footer">
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
          Delete what is found…
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
        {returned.toLocaleString('en')} {hasMore.value ? 'read so far' : 'entities'}
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
