import { useEffect } from 'preact/hooks';
import { announce } from '../../model/notices.js';
import { Icon } from '../../parts/icon.js';
import { useExplained } from './cost.js';
import { draft, runFilter } from './query.js';

/** How long the user must stop typing before the filter is checked. Unit: milliseconds. */
const pauseMs = 150;

/** The error of the filter in the editor and its fix, by the parser of the service. */
export function FilterFault() {
  const explained = useExplained(draft.value, pauseMs);
  const fault = explained?.isRejected ? explained : undefined;
  useEffect(() => fault && announce(fault.text), [fault]);
  if (!fault) return null;
  const { text, advice, at = draft.value.length, length = 0, fix } = fault;
  return (
    <div class="filter-fault line bad">
      <Icon name="error" />
      <span>
        <code>{draft.value.slice(at, at + length)}</code> {text} {advice}
      </span>
      {fix !== undefined && fault.at !== undefined && (
        <button
          type="button"
          onClick={() => runFilter(draft.value.slice(0, at) + fix + draft.value.slice(at + length))}
        >
          Fix and run
        </button>
      )}
    </div>
  );
}
