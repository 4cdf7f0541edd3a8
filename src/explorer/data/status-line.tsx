import { mayEdit } from '../model/identities.js';
import { countOf } from '../parts/list.js';
import { Unsaved } from '../parts/unsaved.js';
import { deleteEntities } from './dialogs/questions.js';
import { clearSelection, selectedCount, selection } from './grid/state.js';
import { RangeSummary, SaveAll } from './grid/status.js';
import { NewsButton } from './live/news.js';
import { cloneEntity } from './panel/panel-state.js';
import { Cost } from './query/cost.js';
import { hasMore, isPaused, progress, readMore } from './rows.js';
import { counts, table } from './tables.js';

/** The line below the rows: what is not saved, how much was read, what is selected, and the cost of the query. */
export function StatusLine() {
  return (
    <footer class="status-line line">
      <Unsaved />
      <SaveAll />
      {selectedCount.value > 0 ? <SelectionActions /> : <Position />}
      <NewsButton />
      <RangeSummary />
      <span class="space" />
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
          <button type="button" class="quiet" onClick={() => void deleteEntities('selection')}>
            Delete…
          </button>
        </>
      )}
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
