import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchVerb, saveAnswer } from '../client/control-client.js';
import { showError } from '../model/notices.js';
import { Icon } from '../parts/icon.js';
import { Empty, TableHead } from '../parts/list.js';
import { clearRequests, entries, followRequests, isJournalOff } from './feed.js';
import { RequestLine } from './request-line.js';
import { type ChoiceName, choose, chosen, knownClasses, knownOperations, rows } from './rows.js';

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
      <div class="toolbar line">
        <button type="button" aria-pressed={isLive.value} onClick={() => (isLive.value = !isLive.value)}>
          <span class={isLive.value ? 'dot live' : 'dot'} aria-hidden="true" />
          {isLive.value ? 'Live' : 'Paused'}
        </button>
        <Choices />
        <span class="space" />
        <button type="button" onClick={clearRequests}>
          Clear
        </button>
        <button type="button" onClick={() => saveArchive().catch(showError)}>
          <Icon name="export" />
          HAR
        </button>
      </div>
      {rows.value.length === 0 ? <Nothing /> : <RequestTable />}
    </div>
  );
}

const numbers = ['Read / returned', 'ms', 'Bytes'];
const columns = ['Time', 'Operation', 'Table', 'Class', 'Status', ...numbers, 'Why'];

function RequestTable() {
  const shown = rows.value.slice(0, linesMax.value);
  return (
    <div class="scrolled">
      <table class="list">
        <TableHead columns={columns} numbers={numbers} />
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
  await saveAnswer(await fetchVerb('request export'), 'tabularium.har');
}

/** The choices above the list. */
function Choices() {
  return (
    <>
      <Choice label="Status" name="status" values={['2xx', '3xx', '4xx', '5xx']} />
      <Choice label="Class" name="class" values={knownClasses.value} />
      <Choice label="Operation" name="op" values={knownOperations.value} />
      <Search label="Table" name="table" />
      <Search label="Text" name="text" title="In the address, the ids, the client, the mark or the reason" />
      <label class="pair">
        <input
          type="checkbox"
          checked={chosen('explorer') !== ''}
          onChange={({ currentTarget }) => choose('explorer', currentTarget.checked ? '1' : '')}
        />
        This page
      </label>
    </>
  );
}

function Choice(props: { readonly label: string; readonly name: ChoiceName; readonly values: readonly string[] }) {
  const { label, name, values } = props;
  // An address may name a value that no request has had yet.
  const all = values.includes(chosen(name)) || chosen(name) === '' ? values : [...values, chosen(name)];
  return (
    <select aria-label={label} value={chosen(name)} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      <option value="">{label}: all</option>
      {all.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}

function Search(props: { readonly label: string; readonly name: ChoiceName; readonly title?: string }) {
  const { label, name, title } = props;
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      title={title}
      value={chosen(name)}
      onInput={({ currentTarget }) => choose(name, currentTarget.value)}
    />
  );
}
