import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type * as CodeEditor from './code-editor.js';
import { draft, runQuery } from './query.js';

/** The editor's code, once it is loaded. */
const loaded = signal<typeof CodeEditor | undefined>(undefined);

/** The selection in the plain field that the editor replaces, if the field has the focus. */
let selected: CodeEditor.Selected | undefined;

/** The filter as text. A plain field until the editor is loaded, so that the page appears at once. */
export function FilterEditor() {
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
      placeholder="$filter"
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
