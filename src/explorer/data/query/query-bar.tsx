import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { isLetter } from '../../shell/keys/keys.js';
import { route, setParams } from '../../shell/route.js';
import { Builder } from '../builder/builder.js';
import { FilterEditor } from '../editor/filter-editor.js';
import { FilterFault } from '../editor/filter-fault.js';
import { draft, filter, runQuery } from './query.js';
import { SavedQueries } from './saved-queries.js';
import { SelectField } from './select-field.js';

/** The query of the table: its filter as text or as rows, and its columns. */
export function QueryBar() {
  const isBuilder = route.value.params.get('view') === 'builder';
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
      <fieldset class="choice">
        <legend class="unseen">How to write the filter</legend>
        <button type="button" aria-pressed={!isBuilder} onClick={() => setParams({ view: undefined })}>
          Text
        </button>
        <button type="button" aria-pressed={isBuilder} onClick={() => setParams({ view: 'builder' })}>
          Builder
        </button>
      </fieldset>
      <div class="filter">{isBuilder ? <Builder /> : <FilterEditor />}</div>
      <SelectField />
      <SavedQueries />
      <button type="button" class="primary" aria-keyshortcuts="Control+Enter" onClick={runQuery}>
        <Icon name="run" />
        Run
        {draft.value.trim() !== filter.value && <span class="unseen">the changed filter</span>}
      </button>
      <FilterFault />
    </div>
  );
}
