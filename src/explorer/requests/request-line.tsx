import { signal } from '@preact/signals';
import { ClassMark } from '../parts/class-mark.js';
import { RequestDetails } from './request-details.js';
import { type RequestRow, tableOf } from './rows.js';

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
            class="quiet time"
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
        <td class="why" title={Why}>
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
