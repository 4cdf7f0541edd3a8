import { signal } from '@preact/signals';
import { mayEdit } from '../model/identities.js';
import { hrefOf } from '../model/route.js';
import { Icon, IconButton } from '../parts/icon.js';
import { openDialog } from './dialogs/open-dialog.js';
import { counts, loadTables, table, tables } from './tables.js';

const text = signal('');

/** The tables of the account, with the number of their entities. */
export function TableList() {
  const wanted = text.value.toLowerCase();
  const shown = (tables.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <nav class="tables" aria-label="Tables">
      <header>
        <h2>Tables</h2>
        {mayEdit.value && (
          <IconButton icon="add" label="Create a table" onClick={() => (openDialog.value = { kind: 'create-table' })} />
        )}
        <IconButton icon="refresh" label="Load and count the tables again" onClick={() => void loadTables()} />
      </header>
      <input
        type="search"
        aria-label="Find a table"
        placeholder="Find a table"
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <ul>
        {shown.map(({ name }) => (
          <li key={name}>
            <a
              href={hrefOf({ tab: 'data', item: name })}
              aria-current={name === table.value ? 'page' : undefined}
              title={name}
            >
              <Icon name="table" />
              <span class="name cut">{name}</span>
              <span class="small number" title={countTitle(counts.value.get(name))}>
                {shortCount(counts.value.get(name))}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {tables.value && tables.value.length > 0 && shown.length === 0 && <p class="small">No matching tables.</p>}
    </nav>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function shortCount(count: number | undefined): string {
  return count === undefined ? '' : compact.format(count);
}

function countTitle(count: number | undefined): string {
  if (count === undefined) return '';
  return `${count.toLocaleString('en')} entities when they were counted. The cloud has no count; this server reads all of them.`;
}
