import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { hasJournal } from '../model/live.js';
import { route } from '../model/route.js';
import { Grid } from '../parts/grid/grid.js';
import { goToCell } from '../parts/grid/source.js';
import { countOf, Empty, JournalOff } from '../parts/list.js';
import { Choices } from './choices.js';
import { clearRequests, entries, followRequests, holdRequests, isLoaded, takeRequests } from './feed.js';
import { RequestPanel } from './panel.js';
import { heldCount, rows } from './rows.js';
import { source } from './source.js';

/** Whether a request is read: no line may move then. */
const isRead = computed(() => {
  const { active, scrollTop } = source.value.state;
  return active.value.row > 0 || scrollTop.value > 0 || route.value.item !== undefined;
});

function takeNew(): void {
  takeRequests();
  goToCell(source.value, { row: 0, column: 0 });
  document.querySelector('.requests [role=grid]')?.scrollTo(0, 0);
}

/** The tab Requests: the requests of programs to this server, as they happen. */
export default function RequestsTab() {
  useEffect(followRequests, []);
  useEffect(() => holdRequests(isRead.value), [isRead.value]);
  if (!hasJournal.value) return <JournalOff />;
  const rejected = rows.value.filter(({ StatusCode }) => StatusCode >= '400').length;
  return (
    <div class="data requests">
      <section class="table-view" aria-label="Requests">
        <div class="query-line line">
          <Choices />
          {heldCount.value > 0 && (
            <button type="button" onClick={takeNew}>
              {heldCount.value.toLocaleString('en')} new ↑
            </button>
          )}
          <button type="button" onClick={clearRequests}>
            Clear
          </button>
        </div>
        {rows.value.length === 0 ? <Nothing /> : <Grid source={source.value} />}
        <footer class="status-line line">
          <span>{countOf(rows.value.length, 'request')}</span>
          {rejected > 0 && <b class="rejected">{rejected.toLocaleString('en')} rejected</b>}
        </footer>
      </section>
      <RequestPanel />
    </div>
  );
}

function Nothing() {
  if (!isLoaded.value) return <Empty title="Loading the requests…" />;
  return entries.value.every(({ Explorer }) => Explorer) ? (
    <Empty title="No requests yet">
      <p>Point a program at this server. Requests appear here, with an explanation for each rejected one.</p>
    </Empty>
  ) : (
    <Empty title="No request matches">
      <p>{countOf(entries.value.length, 'request')} of all accounts are known. Change what is chosen above.</p>
    </Empty>
  );
}
