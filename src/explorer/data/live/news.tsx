import { signal } from '@preact/signals';
import { type Entity, idOf, propertyOf } from '../../base/entity.js';
import { isSameValue } from '../../model/draft.js';
import { showError } from '../../model/notices.js';
import { filter } from '../query/query.js';
import { loadedEntities, readRowsAgain, takeRows } from '../rows.js';
import { countAgain, table } from '../tables.js';

/** What programs have done to the rows. It waits until the user takes it, so that no row moves by itself. */
export interface News {
  /** Number of entities that the rows do not have. */
  readonly added: number;
  /** The rows whose entities are deleted, or no longer found, by their keys. */
  readonly gone: ReadonlySet<string>;
  readonly isTableGone: boolean;
}

/** No news. */
export const noNews: News = { added: 0, gone: new Set(), isTableGone: false };

/** What waits until the user takes it. */
export const news = signal(noNews);

/** The properties that have just changed, by the keys of their entity. */
export const flashes = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

/** How long a changed value is marked. Unit: milliseconds. (Our choice.) */
const flashMs = 1500;

let flashing: ReturnType<typeof setTimeout> | undefined;

/** Marks for a while the values that the rows before did not have. */
export function flash(before: readonly Entity[], after: readonly Entity[]): void {
  const known = new Map(before.map((one) => [idOf(one), one]));
  const changed = after.flatMap((entity) => {
    const old = known.get(idOf(entity));
    if (old?.etag === entity.etag) return [];
    const names = ['PartitionKey', 'RowKey', ...(old?.properties.keys() ?? []), ...entity.properties.keys()];
    const isNew = (name: string) => !isSameValue(old && propertyOf(old, name), propertyOf(entity, name));
    return [[idOf(entity), new Set(names.filter(isNew))] as const];
  });
  if (changed.length === 0) return;
  flashes.value = new Map(changed);
  clearTimeout(flashing);
  flashing = setTimeout(() => (flashes.value = new Map()), flashMs);
}

/**
 * Reads the rows again as far as they were read, in the place of those that are shown, with a mark on the differences: the user has taken the
 * news, or the page itself has inserted or deleted. The grid stays where it is.
 */
export async function takeNews(): Promise<void> {
  countAgain(table.value);
  try {
    const read = await readRowsAgain();
    if (!read) return;
    news.value = noNews;
    flash(loadedEntities.value, read.entities);
    takeRows(read);
  } catch (error) {
    showError(error);
  }
}

/** The button in the status line that takes what waits. */
export function NewsButton() {
  const { added, gone, isTableGone } = news.value;
  if (isTableGone) return <b>The table is deleted</b>;
  const parts = [
    ...(added > 0 ? [`${added.toLocaleString('en')} new`] : []),
    ...(gone.size > 0
      ? [`${gone.size.toLocaleString('en')} ${filter.value === '' ? 'deleted' : 'no longer found'}`]
      : []),
  ];
  if (parts.length === 0) return null;
  return (
    <button type="button" class="news" title="Read the rows again" onClick={() => void takeNews()}>
      {parts.join(', ')} ↻
    </button>
  );
}
