import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { showError } from '../model/notices.js';
import { hrefOf } from '../model/route.js';
import { copyText } from '../parts/copy.js';
import { Icon } from '../parts/icon.js';
import { ClassMark, Empty, TableHead } from '../parts/list.js';
import { Reason } from '../parts/reason.js';
import { server } from '../wire/control-client.js';
import { clearRequests, entries, followRequests, isJournalOff, isLoaded } from './feed.js';
import {
  type ChoiceName,
  choose,
  chosen,
  filterOf,
  knownAccounts,
  knownClasses,
  knownOperations,
  type RequestRow,
  rows,
  tableOf,
} from './rows.js';

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
            <RequestLine key={row.first.Seq} row={row} />
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
  if (!isLoaded.value) return <Empty title="Loading the requests…" />;
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

/** The choices above the list. */
function Choices() {
  return (
    <>
      <Choice label="Status" name="status" values={['2xx', '3xx', '4xx', '5xx']} />
      <Choice label="Class" name="class" values={knownClasses.value} />
      <Choice label="Operation" name="op" values={knownOperations.value} />
      {knownAccounts.value.length > 1 && <Choice label="Account" name="account" values={knownAccounts.value} />}
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

/** The lines whose details are open, by the position of their oldest request in the journal. */
const open = signal<ReadonlySet<number>>(new Set());

/** A line of the list. Its button opens the details below it. */
function RequestLine({ row: { first, entry, count, read, returned } }: { readonly row: RequestRow }) {
  const { Seq } = first;
  const { OperationName, Method, StatusCode, StatusText, Class, DurationMs, ResponseBodySize, Why, Fault } = entry;
  const isOpen = open.value.has(Seq);
  const isRejected = StatusCode >= '400';
  return (
    <>
      {/* The button is for the keyboard; a click anywhere on the line does the same, unless it selects text. */}
      <tr
        class={`openable${isRejected ? ' rejected' : ''}`}
        onClick={({ target }) => {
          const isOnButton = target instanceof Element && target.closest('button, a') !== null;
          if (!isOnButton && getSelection()?.isCollapsed !== false) toggle(Seq);
        }}
      >
        <td>
          <button
            type="button"
            class="quiet time code"
            aria-expanded={isOpen}
            aria-label={`Details of ${OperationName ?? Method} at ${timeOf(entry.TimeGenerated)}`}
            onClick={() => toggle(Seq)}
          >
            {isOpen ? '▾' : '▸'} {timeOf(entry.TimeGenerated)}
          </button>
        </td>
        <td>
          {OperationName ?? Method}
          {count > 1 && <span class="mark after">×{count}</span>}
          {entry.Explorer && <span class="mark after">this page</span>}
        </td>
        <td>
          {tableOf(entry)}
          {knownAccounts.value.length > 1 && <span class="mark after">{entry.AccountName}</span>}
        </td>
        <td>{Class && <ClassMark name={Class} />}</td>
        <td title={StatusText}>
          <span class={`mark ${isRejected ? 'bad' : 'good'}`}>{StatusCode}</span>
          {Fault && <span class="mark warn after">⚡ {Fault}</span>}
        </td>
        <td class="number">{entry.EntitiesRead === undefined ? '' : `${read} / ${returned}`}</td>
        <td class="number">{DurationMs.toFixed(1)}</td>
        <td class="number">{ResponseBodySize}</td>
        <td class="why cut" title={Why}>
          {isRejected ? (Why ?? StatusText) : ''}
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={9}>
            <RequestDetails entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}

function toggle(seq: number): void {
  const next = new Set(open.value);
  if (!next.delete(seq)) next.add(seq);
  open.value = next;
}

/** Returns the time of day of the user, with milliseconds. */
function timeOf(generated: string): string {
  const time = new Date(generated);
  return `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** All facts of the journal about a request, and why it was rejected. */
function RequestDetails({ entry }: { readonly entry: LogEntry }) {
  const table = tableOf(entry);
  const filter = filterOf(entry);
  return (
    <div class="request-details">
      {entry.StatusCode >= '400' && entry.Why !== undefined && (
        <Reason requestId={entry.CorrelationId} text={entry.Why} />
      )}
      <dl>
        <Fact name="Address" value={`${entry.Method} ${entry.Uri}`} />
        <Fact name="Filter" value={filter} />
        <Fact name="Status" value={`${entry.StatusCode} ${entry.StatusText}`} />
        <Fact name="Request id" value={entry.CorrelationId} />
        <Fact name="Client request id" value={entry.ClientRequestId} />
        <Fact name="Client" value={[entry.UserAgentHeader, entry.CallerIpAddress].filter(Boolean).join(' · ')} />
        <Fact name="Signed with" value={entry.AuthenticationType} />
        <Fact name="Service version" value={entry.OperationVersion} />
        <Fact name="Mark" value={entry.Mark} />
        <Fact name="Sent, answered" value={`${entry.RequestBodySize} and ${entry.ResponseBodySize} bytes`} />
      </dl>
      <div class="line">
        {entry.OperationName === 'QueryEntities' && table !== undefined && (
          <a
            href={hrefOf({
              account: entry.AccountName,
              tab: 'data',
              item: table,
              params: new Map(filter === undefined ? [] : [['filter', filter]]),
            })}
          >
            Open this query
          </a>
        )}
        <button type="button" onClick={() => copyCurl(entry).catch(showError)}>
          <Icon name="copy" />
          Copy as curl (sh)
        </button>
      </div>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class="code">{value}</dd>
    </>
  );
}

async function copyCurl({ CorrelationId }: LogEntry): Promise<void> {
  await copyText((await server.requests.show(CorrelationId)).curl);
}
