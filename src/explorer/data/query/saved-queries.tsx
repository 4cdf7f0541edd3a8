import { computed, signal } from '@preact/signals';
import { Menu } from '../../parts/menu.js';
import { readStored, store } from '../../shell/stored.js';
import { table } from '../tables.js';
import { draft, runFilter } from './query.js';

/** A filter of a table that the user has kept. */
interface SavedQuery {
  readonly table: string;
  readonly filter: string;
}

/** How many filters are kept. Ours: the oldest go. */
const savedMax = 50;

const saved = signal<readonly SavedQuery[]>(readStored('queries', isSaved) ?? []);

/** The filters that were kept for the table that is shown, the newest first. */
export const savedFilters = computed(() =>
  saved.value.filter((one) => one.table === table.value).map(({ filter }) => filter),
);

/** The filters of the table that the user has kept, to run them again. */
export function SavedQueries() {
  const current = draft.value.trim();
  const items = savedFilters.value.map((filter) => ({ label: filter, run: () => runFilter(filter) }));
  const isKept = savedFilters.value.includes(current);
  const keep = isKept
    ? [{ label: 'Delete this filter', run: () => forget(current) }]
    : current === ''
      ? []
      : [{ label: 'Save this filter', run: () => save(current) }];
  if (items.length + keep.length === 0) return null;
  return <Menu label="Saved" items={[...items, ...keep]} />;
}

function save(filter: string): void {
  change([{ table: table.value ?? '', filter }, ...saved.value].slice(0, savedMax));
}

function forget(filter: string): void {
  change(saved.value.filter((one) => one.table !== table.value || one.filter !== filter));
}

function change(next: readonly SavedQuery[]): void {
  saved.value = next;
  store('queries', next);
}

function isSaved(value: unknown): value is readonly SavedQuery[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one?.table === 'string' && typeof one?.filter === 'string') &&
    value.length <= savedMax
  );
}
