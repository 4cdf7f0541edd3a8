import { type Entity, propertyOf, systemColumns, writeBody } from '../base/entity.js';
import { mayEdit } from '../model/identities.js';
import { copyText } from '../parts/copy.js';
import { countOf } from '../parts/list.js';
import { Menu } from '../parts/menu.js';
import { Unsaved } from '../parts/unsaved.js';
import { hiddenColumns, resetColumns, setHidden } from './columns.js';
import { askToDelete } from './dialogs/open-dialog.js';
import { clearSelection, selectedCount, selection } from './grid/state.js';
import { NewsButton } from './live/news.js';
import { cloneEntity } from './panel/panel-state.js';
import { Cost } from './query/cost.js';
import { hasMore, isPaused, progress, readMore } from './rows.js';
import { counts, table } from './tables.js';

/** The line below the rows: what is not saved, how much was read, what is selected, and the cost of the query. */
export function StatusLine() {
  return (
    <footer class="status-line line">
      <Unsaved isUpwards />
      {selectedCount.value > 0 ? <SelectionActions /> : <Position />}
      <NewsButton />
      <span class="space" />
      {hiddenColumns.value.length > 0 && <HiddenColumns />}
      <Cost />
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
            <button type="button" class="quiet" onClick={() => cloneEntity(first)}>
              Clone
            </button>
          )}
          <button type="button" class="quiet" onClick={() => askToDelete('selection')}>
            Delete…
          </button>
        </>
      )}
      <Menu
        label="Copy"
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
      <span class="cut">
        {!hasMore.value
          ? countOf(returned, 'entity', 'entities')
          : total === undefined
            ? `${returned.toLocaleString('en')} read so far`
            : `${returned.toLocaleString('en')} of ${total.toLocaleString('en')} read`}
        {isPaused.value && ` · the last ${emptyInARow} pages were empty`}
      </span>
      {hasMore.value && (
        <button type="button" class="quiet" disabled={status === 'reading'} onClick={() => void readMore()}>
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
