import { computed, effect, signal, untracked } from '@preact/signals';
import { isPropertyName } from '../../../protocol/names.js';
import { reader } from '../../shell/read-as.js';
import { go, route } from '../../shell/route.js';
import { account } from '../../shell/session.js';
import { forgetRows, startRows } from '../rows.js';
import { clearSelection } from '../selection.js';
import { table } from '../tables.js';
import { explainQuery } from './plan.js';

/** The `$filter` that was run last. It is in the address. */
export const filter = computed(() => route.value.params.get('filter') ?? '');

/** The `$select` that was run last, as text. */
export const selectText = computed(() => route.value.params.get('select') ?? '');

/** The names of `$select`; undefined for all properties. Names that no property can have are left out. */
export const select = computed(() => {
  const names = selectText.value.split(',').map((name) => name.trim());
  const valid = names.filter((name) => isPropertyName(name));
  return valid.length === 0 ? undefined : valid;
});

/** The filter as it is in the editor, which may not have been run. */
export const draft = signal('');

/** Runs the filter of the editor, also if it has not changed. */
export function runQuery(): void {
  const text = draft.value.trim();
  if (text === filter.value) restart();
  else changeParams({ filter: text });
}

/** Runs this filter. */
export function runFilter(text: string): void {
  draft.value = text;
  runQuery();
}

/** Changes what the query asks for. It becomes an entry of the history, so that the user can go back to the last query. */
export function changeParams(changes: Readonly<Record<string, string>>): void {
  const params = new Map(route.value.params);
  params.delete('row');
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name);
    else params.set(name, value);
  }
  go({ params });
}

/** Reads the first page of the query again. */
export function restart(): void {
  clearSelection();
  if (table.value === undefined) {
    forgetRows();
    return;
  }
  void startRows(table.value, { filter: filter.value, select: select.value });
  void explainQuery(filter.value);
}

/** Follows the address, and who reads: runs what it asks for. */
export function followQuery(): () => void {
  let last: string | undefined;
  return effect(() => {
    const place = JSON.stringify([account.value?.name, reader.value, table.value, filter.value, selectText.value]);
    if (place === last) return;
    last = place;
    untracked(() => {
      draft.value = filter.value;
      restart();
    });
  });
}
