import { computed, effect, signal, untracked } from '@preact/signals';
import { isPropertyName } from '../../../protocol/names.js';
import { reader } from '../../model/identities.js';
import { readStored, store } from '../../model/preferences.js';
import { go, route } from '../../model/route.js';
import { account } from '../../model/session.js';
import { forgetRows, startRows } from '../rows.js';
import { table } from '../tables.js';

/** The last `$filter` that was run, from the address. */
export const filter = computed(() => route.value.params.get('filter') ?? '');

/** The last `$select` that was run, as text. */
export const selectText = computed(() => route.value.params.get('select') ?? '');

/** The names of `$select`; undefined for all properties. Invalid names are left out. */
export const select = computed(() => {
  const names = selectText.value.split(',').map((name) => name.trim());
  const valid = names.filter((name) => isPropertyName(name));
  return valid.length === 0 ? undefined : valid;
});

/** The filter in the editor, which may not have been run. */
export const draft = signal('');

/** The text of the field `$select`, which may not have been run. */
export const selectDraft = signal('');

/** The texts of both that were typed and not run. */
interface Typed {
  readonly filter: string;
  readonly select: string;
}

/** They stay by account and table while the user looks at other places, and over a reload. */
const typed = new Map(readStored('filters', areTyped, sessionStorage));

function areTyped(value: unknown): value is readonly (readonly [place: string, texts: Typed])[] {
  return Array.isArray(value) && value.every((one) => typeof one?.[1]?.filter === 'string');
}

/** Runs the texts of the filter and of `$select`, also if they have not changed. */
export function runQuery(): void {
  const [text, names] = [draft.value.trim(), selectDraft.value.trim()];
  if (text === filter.value && names === selectText.value) {
    restart();
    return;
  }
  // An entry of the history, so that the user can go back to the query before.
  const params = new Map([...route.value.params, ['filter', text], ['select', names]]);
  for (const [name, value] of params) if (value === '' || name === 'row') params.delete(name);
  go({ params });
}

/** Runs this filter. */
export function runFilter(text: string): void {
  draft.value = text;
  runQuery();
}

/** Reads the first page of the query again. */
export function restart(): void {
  if (table.value === undefined) {
    forgetRows();
    return;
  }
  void startRows(table.value, { filter: filter.value, select: select.value });
}

/** Follows the address and the identity: runs the query of the address. */
export function followQuery(): () => void {
  let last: string | undefined;
  let [lastAt, lastRan] = ['', ''];
  const stop = effect(() => {
    const place = JSON.stringify([account.value?.name, reader.value, table.value, filter.value, selectText.value]);
    if (place === last) return;
    last = place;
    untracked(() => {
      const [at, ran] = [tablePlace(), JSON.stringify([filter.value, selectText.value])];
      const left = at === lastAt && ran !== lastRan ? undefined : typed.get(at);
      [lastAt, lastRan] = [at, ran];
      draft.value = left?.filter ?? filter.value;
      selectDraft.value = left?.select ?? selectText.value;
      restart();
    });
  });
  // It begins after the texts of the place are there.
  const stopKeeping = effect(() => {
    const texts = { filter: draft.value, select: selectDraft.value };
    const isRun = texts.filter === filter.peek() && texts.select === selectText.peek();
    if (isRun) typed.delete(untracked(tablePlace));
    else typed.set(untracked(tablePlace), texts);
    store('filters', [...typed], sessionStorage);
  });
  return () => {
    stopKeeping();
    stop();
  };
}

function tablePlace(): string {
  return JSON.stringify([account.value?.name, table.value]);
}
