import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { mayEdit } from '../model/identities.js';
import { hrefOf } from '../model/route.js';
import { Icon, IconButton } from '../parts/icon.js';
import { moveFocus } from '../parts/menu.js';
import { createTable } from './dialogs/questions.js';
import { counts, loadTables, table, tables } from './tables.js';

const text = signal('');

/** The tables of the account, with the number of their entities. The list is one stop of Tab, at the current one or the first; arrows move in it. */
export function TableList() {
  const wanted = text.value.toLowerCase();
  const shown = (tables.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const list = useRef<HTMLUListElement>(null);
  const isListed = shown.some(({ name }) => name === table.value);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [table.value, isListed],
  );
  const stop = isListed ? table.value : shown[0]?.name;
  return (
    <nav class="tables" aria-label="Tables">
      <header>
        <h2>Tables</h2>
        {mayEdit.value && <IconButton icon="add" label="Create a table" onClick={createTable} />}
        <IconButton icon="refresh" label="Load and count the tables again" onClick={() => void loadTables()} />
      </header>
      <input
        type="search"
        aria-label="Find a table"
        placeholder="Find a table"
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <ul ref={list} onKeyDown={(event) => moveFocus(event) && event.preventDefault()}>
        {shown.map(({ name }) => (
          <li key={name}>
            <a
              href={hrefOf({ tab: 'data', item: name })}
              aria-current={name === table.value ? 'page' : undefined}
              title={name}
              tabIndex={name === stop ? 0 : -1}
            >
              <Icon name="table" />
              <span class="name cut">{name}</span>
              <Count number={counts.value.get(name)} />
            </a>
          </li>
        ))}
      </ul>
      {tables.value && tables.value.length > 0 && shown.length === 0 && <p class="small">No matching tables.</p>}
    </nav>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function Count({ number }: { readonly number: number | undefined }) {
  if (number === undefined) return null;
  const title = `${number.toLocaleString('en')} entities when they were counted. The cloud has no count; this server reads all of them.`;
  return (
    <span class="small number" title={title}>
      {compact.format(number)}
    </span>
  );
}
