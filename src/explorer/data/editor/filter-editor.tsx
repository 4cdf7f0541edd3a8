import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { draft, runQuery } from '../query.js';
import type * as CodeEditor from './code-editor.js';

/** The editor's code, once it is loaded. */
const loaded = signal<typeof CodeEditor | undefined>(undefined);

/** The filter as text. It is a plain field until the editor is loaded, so that the page is there at once. */
export function FilterEditor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Without the editor, the plain field does.
    if (!loaded.value)
      void import('./code-editor.js').then(
        (code) => (loaded.value = code),
        () => {},
      );
  }, []);
  const code = loaded.value;
  useEffect(() => (host.current && code ? code.openEditor(host.current) : undefined), [code]);
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
