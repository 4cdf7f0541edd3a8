import { type Entity, filterOfKeys } from '../../base/entity.js';
import { showDone, showError } from '../../model/notices.js';
import { go } from '../../model/route.js';
import { service } from '../../model/service.js';
import { account } from '../../model/session.js';
import { ask, askFor } from '../../parts/dialog.js';
import { countOf } from '../../parts/list.js';
import { server } from '../../wire/control-client.js';
import { selection } from '../grid/entity-rows.js';
import { takeNews } from '../live/news.js';
import { filter, restart } from '../query/query.js';
import { hasMore, loadedEntities } from '../rows.js';
import { counts, loadTables, openTable, table } from '../tables.js';

/** Above this number of entities, the table name has to be typed. (Our choice: fewer are soon recreated.) */
const confirmedAbove = 1000;

/** Asks for the name of a new table, and creates it. */
export function createTable(): void {
  askFor({
    ...{ title: 'Create a table', text: '', yes: 'Create', label: 'Name' },
    async run(name) {
      await service.createTable(name);
      await loadTables();
      openTable(name);
    },
  });
}

/** Asks whether to delete a table, and deletes it. */
export async function deleteTable(name: string): Promise<void> {
  const count = counts.value.get(name);
  const lost = count === undefined ? 'All of its entities' : `Its ${countOf(count, 'entity', 'entities')}`;
  const text = `${lost} and its access policies go with it. A snapshot brings it back, if there is one.`;
  if (!(await ask(`Delete the table ${name}?`, text, 'Delete the table', typedName(name, count)))) return;
  try {
    await service.deleteTable(name);
    go({ item: undefined, params: new Map() });
    showDone(`The table ${name} is deleted.`);
    await loadTables();
  } catch (error) {
    showError(error);
  }
}

/** Returns the name to type, if the number of entities is large or not known. */
function typedName(name: string, count: number | undefined): string | undefined {
  return count === undefined || count > confirmedAbove ? name : undefined;
}

/** How long the notice with the button to undo stays. Unit: milliseconds. */
const undoShownMs = 60_000;

/** Longest filter that names entities to delete. Unit: UTF-16 code units. The body of a command has at most 64 KiB. */
const filterUnitsMax = 30_000;

/** Asks whether to delete the entities of the range, or all results of the query, and deletes them. */
export async function deleteEntities(target: 'selection' | 'query'): Promise<void> {
  const place = { ...(account.value && { account: account.value.name }), table: table.value ?? '' };
  const [entities, text] = [selection.value, filter.value];
  const isAll = target === 'query' && text === '';
  const known = target === 'selection' ? entities.length : hasMore.value ? undefined : loadedEntities.value.length;
  const count = known ?? (isAll ? counts.value.get(place.table) : undefined);
  const words = count === undefined ? 'all matching entities' : countOf(count, 'entity', 'entities');
  const rest = isAll
    ? `The table ${place.table} stays, and is empty afterwards. `
    : target === 'query'
      ? `All that match ${text}. `
      : '';
  const about = `${rest}You can undo it for ten minutes, unless five later calls remove something.`;
  if (!(await ask(`Delete ${words}?`, about, `Delete ${words}`, typedName(place.table, count)))) return;
  try {
    const removed = isAll
      ? await server.reset({ ...place, to: 'empty' })
      : await deleteByFilters(place, target === 'query' ? [text] : filtersOf(entities));
    showDeletion(removed);
    // The user may be at another table meanwhile.
    if (account.value?.name !== place.account || table.value !== place.table) return;
    if (target === 'query') restart();
    else void takeNews();
  } catch (error) {
    showError(error);
    // A part may be deleted.
    void takeNews();
  }
}

/** The answer of the server to a removal. */
interface Removed {
  readonly entities?: number;
  /** The ID to undo it; absent if it cannot be undone. */
  readonly undo?: string;
}

async function deleteByFilters(
  { table, ...account }: { readonly account?: string; readonly table: string },
  filters: readonly string[],
): Promise<Removed> {
  let [entities, undo]: readonly [number, string | undefined] = [0, undefined];
  for (const one of filters) {
    // The snapshot of the first part covers the others.
    const removed: Removed = await server.entities.delete(table, one, { ...account, ...(undo && { undo }) });
    entities += removed.entities ?? 0;
    undo ??= removed.undo;
  }
  return { entities, ...(undo && { undo }) };
}

function showDeletion({ entities = 0, undo }: Removed): void {
  const text = entities === 0 ? 'Deleted.' : `Deleted ${countOf(entities, 'entity', 'entities')}.`;
  if (undo === undefined) showDone(`${text} This cannot be undone.`);
  else {
    const run = () => {
      const done = server.undo(undo).then(() => showDone('Brought back.'), showError);
      void done.then(takeNews);
    };
    showDone(text, { label: 'Undo', run }, undoShownMs);
  }
}

/** Returns filters that match exactly these entities, each of a bounded length. */
function filtersOf(entities: readonly Entity[]): readonly string[] {
  const filters: string[] = [];
  for (const text of entities.map(filterOfKeys)) {
    const last = filters.at(-1);
    const isFull = last === undefined || last.length + text.length > filterUnitsMax;
    if (isFull) filters.push(text);
    else filters[filters.length - 1] = `${last} or ${text}`;
  }
  return filters;
}
