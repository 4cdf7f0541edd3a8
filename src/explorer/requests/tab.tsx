/* The tab "requests". */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchVerb } from '../client/control-client.js';
import { saveAnswer } from '../client/download.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { showError } from '../shell/notices.js';
import { Choices } from './choices.js';
import { clearRequests, entries, followRequests, isJournalOff } from './feed.js';
import { RequestLine } from './request-line.js';
import { rows } from './rows.js';

/** How many lines are shown at first, and how many more at each wish. Ours: the newest matter most. */
const linesStep = 200;

const linesMax = signal(linesStep);

/** Whether new requests are shown as they come. */
const isLive = signal(true);

/** The tab Requests: what programs asked this server, as it happens. */
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
      <div class="toolbar">
        <button type="button" aria-pressed={isLive.value} onClick={() => (isLive.value = !isLive.value)}>
          <span class={isLive.value ? 'dot live' : 'dot'} aria-hidden="true" />
          {isLive.value ? 'Live' : 'Paused'}
        </button>
        <Choices />
        <span class="space" />
        <button type="button" onClick={clearRequests}>
          Clear
        </button>
        <button type="button" onClick={() => void saveArchive()}>
          <Icon name="export" />
          HAR
        </button>
      </div>
      {rows.value.length === 0 ? <Nothing /> : <RequestTable />}
    </div>
  );
}

function RequestTable() {
  const shown = rows.value.slice(0, linesMax.value);
  return (
    <div class="scrolled">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Operation</th>
            <th scope="col">Table</th>
            <th scope="col">Class</th>
            <th scope="col">Status</th>
            <th scope="col" class="number" title="Entities read / returned">
              Read / returned
            </th>
            <th scope="col" class="number">
              ms
            </th>
            <th scope="col" class="number">
              Bytes
            </th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <RequestLine key={row.entry.Seq} row={row} />
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

function Nothing() {
  return entries.value.every(({ Explorer }) => Explorer) ? (
    <Empty title="No requests yet">
      <p>Point a program at this server. Requests appear here, with an explanation for each rejected one.</p>
    </Empty>
  ) : (
    <Empty title="No request matches">
      <p>{entries.value.length} are known. Change what is chosen above.</p>
    </Empty>
  );
}

async function saveArchive(): Promise<void> {
  try {
    await saveAnswer(await fetchVerb('request export'), 'tabularium.har');
  } catch (error) {
    showError(error);
  }
}
