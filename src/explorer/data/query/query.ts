import { computed, effect, signal, untracked } from '@preact/signals';
import type { ExplainedFilter } from '../../../insight/why/filter/explained-filter.js';
import { isPropertyName } from '../../../protocol/names.js';
import { reader } from '../../model/identities.js';
import { go, route } from '../../model/route.js';
import { account } from '../../model/session.js';
import { askJournal, server, serverUntil } from '../../wire/control-client.js';
import { clearSelection } from '../grid/state.js';
import { forgetRows, progress, startRows } from '../rows.js';
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

/** Where this tab of the browser keeps texts that were not run. */
const storedAs = 'tabularium.filters';

/** Texts of both that were typed and not run, by account and table. They stay while the user looks at other places, and over a reload. */
const typed = readTyped();

function readTyped(): Map<string, { readonly filter: string; readonly select: string }> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(storedAs) ?? '[]'));
  } catch {
    return new Map();
  }
}

function storeTyped(): void {
  try {
    sessionStorage.setItem(storedAs, JSON.stringify([...typed]));
  } catch {
    // The browser is full, or it stores nothing for this page.
  }
}

/** Runs the texts of the filter and of `$select`, also if they have not changed. */
export function runQuery(): void {
  const [text, names] = [draft.value.trim(), selectDraft.value.trim()];
  if (text === filter.value && names === selectText.value) restart();
  else changeParams({ filter: text, select: names });
}

/** Runs this filter. */
export function runFilter(text: string): void {
  draft.value = text;
  runQuery();
}

/** Changes the query, as an entry of the history, so that the user can go back to the previous query. */
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
    storeTyped();
  });
  return () => {
    stopKeeping();
    stop();
  };
}

function tablePlace(): string {
  return JSON.stringify([account.value?.name, table.value]);
}

/** How the cloud finds the entities of the query, or why the service rejects it; undefined until it is known. */
export const plan = signal<ExplainedFilter | undefined>(undefined);

/** Entities read by each request of the query; undefined if the journal does not have the request. */
const costs = signal<ReadonlyMap<string, number | undefined>>(new Map());

/** Number of entities that this server has read for the query; undefined if its journal does not know each request. */
export const entitiesRead = computed(() => {
  const known = progress.value.requestIds.map((id) => costs.value.get(id));
  return known.every((read) => read !== undefined) ? known.reduce((sum, read) => sum + read, 0) : undefined;
});

/** Explains how the cloud finds the entities of a filter, without a read in the server. */
export async function explain(filter: string, signal?: AbortSignal): Promise<ExplainedFilter> {
  return serverUntil(signal).explain(filter);
}

/** Explains the current query. If the server cannot, nothing is shown. */
async function explainQuery(filter: string): Promise<void> {
  plan.value = undefined;
  plan.value = await explain(filter).catch(() => undefined);
}

/** Loads the cost of each request of a query once. */
export async function loadCost(requestIds: readonly string[]): Promise<void> {
  const asked = requestIds.filter((id) => !costs.value.has(id));
  const found = await Promise.all(
    asked.map(async (id) => {
      const entry = await askJournal(() => server.requests.show(id)).catch(() => undefined);
      return [id, entry?.request.EntitiesRead] as const;
    }),
  );
  const kept = [...costs.value].filter(([id]) => progress.value.requestIds.includes(id));
  costs.value = new Map([...kept, ...found]);
}
