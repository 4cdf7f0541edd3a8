import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RejectedFilter } from '../../../insight/why/filter/explained-filter.js';
import { announce } from '../../model/notices.js';
import { Icon } from '../../parts/icon.js';
import { draft, explain, runFilter } from './query.js';

/** Why the service would reject the filter in the editor; undefined if it would accept it. */
export const filterFault = signal<RejectedFilter | undefined>(undefined);

/** How long the user must stop typing before the filter is checked. Unit: milliseconds. */
const pauseMs = 150;

/** The error of the filter in the editor and its fix, by the parser of the service. */
export function FilterFault() {
  useEffect(followDraft, []);
  const fault = filterFault.value;
  const fixed = fault && fixedText(draft.value, fault);
  return (
    <div class="filter-fault line bad">
      {fault && (
        <>
          <Icon name="error" />
          <span>
            {fault.text} {fault.advice}
          </span>
          {fixed !== undefined && (
            <button type="button" onClick={() => runFilter(fixed)}>
              Fix and run
            </button>
          )}
        </>
      )}
    </div>
  );
}

/** Returns the filter with the fix of its explanation; undefined if there is none. */
function fixedText(text: string, { at, length = 0, fix }: RejectedFilter): string | undefined {
  if (at === undefined || fix === undefined) return undefined;
  return text.slice(0, at) + fix + text.slice(at + length);
}

function followDraft(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopper = new AbortController();
  const stop = effect(() => {
    const text = draft.value;
    clearTimeout(timer);
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    timer = setTimeout(() => void check(text, signal), pauseMs);
  });
  return () => {
    stop();
    clearTimeout(timer);
    stopper.abort();
  };
}

async function check(text: string, signal: AbortSignal): Promise<void> {
  const explained = text.trim() === '' ? undefined : await explain(text, signal).catch(() => undefined);
  if (signal.aborted) return;
  filterFault.value = explained?.isRejected ? explained : undefined;
  if (filterFault.value) announce(filterFault.value.text);
}
