import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isLetter } from '../../model/preferences.js';
import { Icon } from '../../parts/icon.js';
import type * as CodeEditor from './code-editor.js';
import { FilterFault } from './filter-fault.js';
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
      <code>$select</code>
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

/** The editor's code, once it is loaded. */
const loaded = signal<typeof CodeEditor | undefined>(undefined);

/** The selection in the plain field that the editor replaces, if the field has the focus. */
let selected: CodeEditor.Selected | undefined;

/** The filter as text. It is a plain field until the editor is loaded, so that the page is there at once. */
function FilterEditor() {
  const host = useRef<HTMLDivElement>(null);
  // Without the editor, the plain field does.
  useEffect(() => void loadEditor().catch(() => {}), []);
  const code = loaded.value;
  // Within the task that draws: a key that comes next is for the editor.
  useLayoutEffect(() => {
    if (!host.current || !code) return;
    const close = code.openEditor(host.current, selected);
    selected = undefined;
    return close;
  }, [code]);
  if (code) return <div ref={host} class="editor" data-focus="filter" />;
  return (
    <input
      class="code"
      data-focus="filter"
      aria-label="$filter"
      placeholder="all entities"
      value={draft.value}
      onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && runQuery()}
    />
  );
}

async function loadEditor(): Promise<void> {
  if (loaded.value) return;
  const code = await import('./code-editor.js');
  const field = document.activeElement;
  if (field instanceof HTMLInputElement && field.matches('[data-focus=filter]')) {
    selected = { anchor: field.selectionStart ?? 0, head: field.selectionEnd ?? 0 };
  }
  loaded.value = code;
}
