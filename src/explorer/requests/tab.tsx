import { computed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { route } from '../model/route.js';
import { Grid } from '../parts/grid/grid.js';
import { goToCell } from '../parts/grid/source.js';
import { Icon } from '../parts/icon.js';
import { countOf, Empty } from '../parts/list.js';
import { Choices } from './choices.js';
import { clearRequests, entries, followRequests, holdRequests, isJournalOff, isLoaded, takeRequests } from './feed.js';
import { RequestPanel } from './panel.js';
import { heldCount, openGroups, rows } from './rows.js';
import { source } from './source.js';

/** Whether a request is read: no line may move then. */
const isRead = computed(() => {
  const { active, scrollTop } = source.value.state;
  const isBelow = active.value.row > 0 || scrollTop.value > 0;
  return isBelow || route.value.item !== undefined || openGroups.value.size > 0;
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
  if (isJournalOff.value) {
    return (
      <Empty title="The journal is off">
        <p>
          Start the server without <code>--journal 0</code> to see its requests here.
        </p>
      </Empty>
    );
  }
  return (
    <div class="data requests">
      <section class="table-view" aria-label="Requests">
        <div class="query-line">
          <div class="narrow">
            <button type="button" popovertarget="choices">
              Choices
              <Icon name="down" />
            </button>
          </div>
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
        <StatusLine />
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

/** Time between two updates of the rate. Unit: milliseconds. (Our choice.) */
const rateMs = 5000;

/** The number of lines, and the rate of the last minute. */
function StatusLine() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), rateMs);
    return () => clearInterval(timer);
  }, []);
  const since = new Date(now.value - 60_000).toISOString();
  const all = entries.value;
  const last = all
    .slice(all.findLastIndex(({ TimeGenerated }) => TimeGenerated < since) + 1)
    .filter((one) => !one.Explorer);
  const rejected = last.filter(({ StatusCode }) => StatusCode >= '400').length;
  return (
    <footer class="status-line">
      <span>{countOf(rows.value.length, 'line')}</span>
      <span class="space" />
      <span>
        Last minute: {countOf(last.length, 'request')}
        {rejected > 0 && <b class="rejected"> {rejected.toLocaleString('en')} rejected</b>}
      </span>
    </footer>
  );
}
