import { useLayoutEffect, useRef } from 'preact/hooks';
import { type CellPlace, type GridColumn, type GridSource, goToCell, rangeRows } from './source.js';

/**
 * Edits a value in its cell. Each key is kept at once, so that nothing typed is lost; Escape brings the value before it back. The text area
 * shows each line break as LF.
 */
export function CellEditor(props: { readonly source: GridSource; readonly row: number; readonly column: GridColumn }) {
  const { source, row, column } = props;
  const { state } = source;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    if (state.editing.peek()?.before?.text === source.edit?.(row, column)?.text) field.current?.select();
  }, []);
  const edit = source.edit?.(row, column);
  if (!edit) return null;
  const { text, type, fault } = edit;
  const close = (next?: Partial<CellPlace>) => {
    const grid = field.current?.closest<HTMLElement>('[role=grid]');
    state.editing.value = undefined;
    grid?.focus();
    if (next) goToCell(source, { ...state.active.value, ...next });
  };
  const { column: at } = state.active.value;
  const run = (event: KeyboardEvent): boolean => {
    // The keys of an input method are its own.
    if (event.isComposing) return false;
    if (event.key === 'Escape') {
      source.commit?.([row], column, state.editing.value?.before);
      close();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      source.commit?.(rangeRows(state), column, { type, text });
      close();
    } else if (event.key === 'Enter' && !event.shiftKey) close({ row: row + 1 });
    else if (event.key === 'Tab') close({ column: at + (event.shiftKey ? -1 : 1) });
    else return false;
    return true;
  };
  return (
    <fieldset
      class={`cell-editor floating${fault ? ' wrong' : ''}`}
      onKeyDown={(event) => {
        if (run(event)) event.preventDefault();
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        // It stays open if the whole window loses the focus, and if it moves with its row.
        if (!isInside && document.hasFocus() && state.editing.value?.row === row) state.editing.value = undefined;
      }}
    >
      <textarea
        ref={field}
        rows={Math.min(8, text.split('\n').length)}
        aria-label={`${column.id}, ${type.slice(4)}`}
        aria-invalid={fault !== undefined}
        aria-description={fault}
        value={text.replace(/\r\n?/g, '\n')}
        onInput={({ currentTarget }) => source.commit?.([row], column, { type, text: currentTarget.value })}
      />
      {fault && <p class="fault">{fault}</p>}
    </fieldset>
  );
}
