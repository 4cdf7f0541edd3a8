import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { mayEdit } from '../../model/identities.js';
import { isLetter } from '../../model/preferences.js';
import { go } from '../../model/route.js';
import { Icon, IconButton } from '../../parts/icon.js';
import { Menu } from '../../parts/menu.js';
import { FindField } from '../grid/status.js';
import { newEntity } from '../panel/panel-state.js';
import { tableActions } from '../table-actions.js';
import { openTable, table, tables } from '../tables.js';
import { FilterEditor } from './filter-editor.js';
import { FilterFault } from './filter-fault.js';
import { KeyFields } from './key-fields.js';
import { draft, filter, runQuery, selectDraft, selectText } from './query.js';

/** Whether a narrow line shows the query, in place of the button for it. */
const isOpen = signal(false);

/** The line above the rows: which table, and which of its entities. */
export function QueryLine() {
  const line = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isLetter(event)) return;
      event.preventDefault();
      isOpen.value = true;
      // After the draw that opens the line, which is a microtask, and before the next key.
      queueMicrotask(() => line.current?.querySelector<HTMLElement>('.filter')?.focus());
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  const isFiltered = filter.value !== '' || selectText.value !== '';
  return (
    <search
      ref={line}
      class={`query-line line${isOpen.value ? ' open' : ''}`}
      aria-label="Query"
      onKeyDown={({ key, target }) => {
        if (key === 'Enter' && target instanceof HTMLInputElement && target.type !== 'search') runQuery();
      }}
    >
      <TableName />
      <button
        type="button"
        class="opener"
        aria-expanded={isOpen.value}
        aria-pressed={isFiltered}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Filter
      </button>
      <KeyFields />
      <FilterEditor />
      <input
        class={`select-names${selectDraft.value === '' ? '' : ' set'}`}
        aria-label="$select: the properties to send, with commas between them"
        placeholder="$select"
        value={selectDraft.value}
        onInput={({ currentTarget }) => (selectDraft.value = currentTarget.value)}
      />
      <button type="button" class="primary run" aria-keyshortcuts="Control+Enter" title="Run" onClick={runQuery}>
        <Icon name="run" />
        <span class="word">Run</span>
        {draft.value.trim() !== filter.value && <span class="unseen">the changed filter</span>}
      </button>
      <FindField />
      {mayEdit.value && <IconButton icon="add" label="New entity" onClick={newEntity} />}
      <Menu label={`Actions for ${table.value}`} icon="more" isIconOnly items={tableActions()} />
      <FilterFault />
    </search>
  );
}

/** The name of the table, with a menu of all: a small window has no list of them. */
function TableName() {
  const items = [
    { label: 'All tables', run: () => go({ item: undefined, params: new Map() }) },
    ...(tables.value ?? []).map(({ name }) => ({
      label: name,
      isChecked: name === table.value,
      run: () => openTable(name),
    })),
  ];
  return <Menu label={table.value ?? ''} items={items} />;
}
