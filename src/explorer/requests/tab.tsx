import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { route } from '../model/route.js';
import { Icon } from '../parts/icon.js';
import { countOf, Empty, TableHead } from '../parts/list.js';
import { Choices, choicesMade } from './choices.js';
import { columnsFor, type RequestColumn, timeOf } from './columns.js';
import { clearRequests, entries, followRequests, isJournalOff, isLoaded } from './feed.js';
import { openRequest, RequestPanel } from './panel.js';
import { openGroups, type RequestRow, rows, toggleGroup } from './rows.js';

/** How many lines are shown at first, and how many more at each wish. (Our choice: the newest matter most.) */
const linesStep = 200;

const linesMax = signal(linesStep);

/** Whether new requests are shown as they come. */
const isLive = signal(true);

/** The tab Requests: the requests of programs to this server, as they happen. */
export default function RequestsTab() {
  useEffect(() => (isLive.value ? followRequests() : undefined), [isLive.value]);
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
    <div class="requests">
      <section class="log" aria-label="Requests">
        <div class="toolbar line">
          <button type="button" aria-pressed={isLive.value} onClick={() => (isLive.value = !isLive.value)}>
            <span class={isLive.value ? 'dot live' : 'dot'} aria-hidden="true" />
            {isLive.value ? 'Live' : 'Paused'}
          </button>
          <button type="button" class="for-phone" popovertarget="choices">
            Choices{choicesMade.value > 0 && ` (${choicesMade.value})`}
            <Icon name="down" />
          </button>
          <Choices />
          <button type="button" onClick={clearRequests}>
            Clear
          </button>
        </div>
        {rows.value.length === 0 ? <Nothing /> : <RequestTable />}
        <StatusLine />
      </section>
      <RequestPanel />
    </div>
  );
}

/** Whether the window has room for two columns at most. */
const isNarrow = signal(false);
const narrow = matchMedia('(width < 640px)');
const readWidth = () => (isNarrow.value = narrow.matches);
narrow.addEventListener('change', readWidth);
readWidth();

function RequestTable() {
  const shown = rows.value.slice(0, linesMax.value);
  const columns = columnsFor(isNarrow.value);
  return (
    <div class="scrolled">
      <table class="list">
        <TableHead columns={columns.map(({ id }) => id)} numbers={['Read', 'ms', 'Bytes']} />
        <tbody>
          {shown.map((row) => (
            <RequestLine key={row.id} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
      {rows.value.length > shown.length && (
        <button type="button" class="more" onClick={() => (linesMax.value += linesStep)}>
          Show {Math.min(linesStep, rows.value.length - shown.length)} older
        </button>
      )}
    </div>
  );
}

/** A line of the list. Its button opens the request, or the single requests of a group. */
function RequestLine({ row, columns }: { readonly row: RequestRow; readonly columns: readonly RequestColumn[] }) {
  const { id, entry, group, isMember } = row;
  const isGroup = group.length > 1;
  const isOpen = isGroup ? openGroups.value.has(id) : route.value.item === entry.CorrelationId;
  const open = () => (isGroup ? toggleGroup(id) : openRequest(entry.CorrelationId));
  return (
    // The button is for the keyboard; a click anywhere on the line does the same, unless it selects text.
    <tr
      class={`openable${isMember ? ' member' : ''}${isOpen && !isGroup ? ' open' : ''}`}
      onClick={() => getSelection()?.isCollapsed !== false && open()}
    >
      {columns.map((column) => (
        <td key={column.id} class={column.kind?.(row)} title={column.text(row)}>
          {column.id === 'Operation' ? (
            <button
              type="button"
              class="quiet"
              aria-expanded={isOpen}
              aria-label={`Details of ${column.text(row)} at ${timeOf(entry.TimeGenerated)}`}
              onClick={(event) => {
                event.stopPropagation();
                open();
              }}
            >
              {column.text(row)}
              {isGroup && <span class="faint"> ×{group.length}</span>}
            </button>
          ) : (
            column.text(row)
          )}
        </td>
      ))}
    </tr>
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
  const since = now.value - 60_000;
  const last = entries.value.filter(({ TimeGenerated, Explorer }) => !Explorer && Date.parse(TimeGenerated) > since);
  const rejected = last.filter(({ StatusCode }) => StatusCode >= '400').length;
  return (
    <footer class="status line">
      <span>{countOf(rows.value.length, 'line')}</span>
      <span class="space" />
      <span>
        Last minute: {countOf(last.length, 'request')}
        {rejected > 0 && <b class="rejected"> {rejected.toLocaleString('en')} rejected</b>}
      </span>
    </footer>
  );
}
