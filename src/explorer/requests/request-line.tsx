import { signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { server } from '../client/control-client.js';
import { showError } from '../model/notices.js';
import { hrefOf } from '../model/route.js';
import { copyText } from '../parts/copy.js';
import { Icon } from '../parts/icon.js';
import { ClassMark } from '../parts/list.js';
import { Reason } from '../parts/reason.js';
import { filterOf, type RequestRow, tableOf } from './rows.js';

/** The requests whose details are open, by the positions in the journal. */
const open = signal<ReadonlySet<number>>(new Set());

/** A line of the list. Its button opens the details below it. */
export function RequestLine({ row: { entry, count, read, returned } }: { readonly row: RequestRow }) {
  const { Seq, OperationName, Method, StatusCode, StatusText, Class, DurationMs, ResponseBodySize, Why, Fault } = entry;
  const isOpen = open.value.has(Seq);
  const isRefused = StatusCode >= '400';
  return (
    <>
      {/* The button is for the keyboard; a click anywhere on the line does the same, unless it selects text. */}
      <tr
        class={`openable${isRefused ? ' refused' : ''}`}
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
        <td>{tableOf(entry)}</td>
        <td>{Class && <ClassMark name={Class} />}</td>
        <td title={StatusText}>
          <span class={`mark ${isRefused ? 'bad' : 'good'}`}>{StatusCode}</span>
          {Fault && <span class="mark warn after">⚡ {Fault}</span>}
        </td>
        <td class="number">{entry.EntitiesRead === undefined ? '' : `${read} / ${returned}`}</td>
        <td class="number">{DurationMs.toFixed(1)}</td>
        <td class="number">{ResponseBodySize}</td>
        <td class="why cut" title={Why}>
          {isRefused ? (Why ?? StatusText) : ''}
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
