import { countOf } from '../parts/list.js';
import { Unsaved } from '../parts/unsaved.js';
import { RangeSummary, SaveAll } from './grid/status.js';
import { NewsButton } from './live/news.js';
import { Cost } from './query/cost.js';
import { hasMore, isPaused, loadedEntities, progress, readMore } from './rows.js';
import { counts, table } from './tables.js';

/** The line below the rows: what is not saved, how much was read, and the cost of the query. */
export function StatusLine() {
  return (
    <footer class="status-line line">
      <Unsaved />
      <SaveAll />
      <Position />
      <NewsButton />
      <RangeSummary />
      <span class="space" />
      <Cost />
    </footer>
  );
}

function Position() {
  const { status, emptyInARow } = progress.value;
  const returned = loadedEntities.value.length;
  const total = hasMore.value ? counts.value.get(table.value ?? '') : undefined;
  return (
    <>
      <span class="cut">
        {!hasMore.value
          ? countOf(returned, 'entity', 'entities')
          : `${returned.toLocaleString('en')} ${total === undefined ? 'read so far' : `of ${total.toLocaleString('en')} read`}`}
        {isPaused.value && emptyInARow > 0 && ` · the last ${emptyInARow} pages were empty`}
      </span>
      {hasMore.value && (
        <button type="button" class="quiet" disabled={status === 'reading'} onClick={() => void readMore()}>
          Read more
        </button>
      )}
    </>
  );
}
