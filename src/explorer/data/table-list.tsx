import { signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { mayEdit } from '../model/identities.js';
import { hrefOf } from '../model/route.js';
import { Icon, IconButton } from '../parts/icon.js';
import { createTable } from './dialogs/questions.js';
import { counts, loadTables, table, tables } from './tables.js';

const text = signal('');

/** The table in the list that Tab reaches; undefined for the current one, or the first. */
const focused = signal<string | undefined>(undefined);

/** The tables of the account, with the number of their entities. The list is one stop of Tab; arrows move in it. */
export function TableList() {
  const wanted = text.value.toLowerCase();
  const shown = (tables.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const list = useRef<HTMLUListElement>(null);
  const isListed = shown.some(({ name }) => name === table.value);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [table.value, isListed],
  );
  const stop = [focused.value, table.value].find((one) => shown.some(({ name }) => name === one)) ?? shown[0]?.name;
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
      <ul ref={list} onKeyDown={moveFocus}>
        {shown.map(({ name }) => (
          <li key={name}>
            <a
              href={hrefOf({ tab: 'data', item: name })}
              aria-current={name === table.value ? 'page' : undefined}
              title={name}
              tabIndex={name === stop ? 0 : -1}
              onFocus={() => (focused.value = name)}
              onBlur={() => (focused.value = undefined)}
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

function moveFocus(event: TargetedKeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  links[Math.max(0, Math.min(to, links.length - 1))]?.focus();
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function shortCount(count: number | undefined): string {
  return count === undefined ? '' : compact.format(count);
}

function countTitle(count: number | undefined): string {
  if (count === undefined) return '';
  return `${count.toLocaleString('en')} entities when they were counted. The cloud has no count; this server reads all of them.`;
}
