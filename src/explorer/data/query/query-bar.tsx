import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { isLetter } from '../../shell/keys/keys.js';
import { FilterEditor } from '../editor/filter-editor.js';
import { FilterFault } from '../editor/filter-fault.js';
import { changeParams, draft, filter, runQuery, selectText } from './query.js';

/** The query of the table: its filter and its columns. */
export function QueryBar() {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isLetter(event)) return;
      event.preventDefault();
      const field = document.querySelector<HTMLElement>('[data-focus=filter]');
      field?.focus();
      field?.dispatchEvent(new Event('take-focus'));
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <div class="query">
      <div class="filter">
        <FilterEditor />
      </div>
      <SelectField />
      <button type="button" class="primary" aria-keyshortcuts="Control+Enter" onClick={runQuery}>
        <Icon name="run" />
        Run
        {draft.value.trim() !== filter.value && <span class="unseen">the changed filter</span>}
      </button>
      <FilterFault />
    </div>
  );
}

/** The names of the properties to send, with commas between them. */
function SelectField() {
  return (
    <label class="select-names">
      <span>$select</span>
      <input
        aria-label="$select: the properties to send, with commas between them"
        placeholder="all properties"
        value={selectText.value}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') changeParams({ select: currentTarget.value.trim() });
        }}
        onChange={({ currentTarget }) => changeParams({ select: currentTarget.value.trim() })}
      />
    </label>
  );
}
