import { signal } from '@preact/signals';
import { showError } from '../../model/notices.js';
import { filter } from '../query/query.js';
import { readRowsAgain, takeRows } from '../rows.js';

/** What programs have done to the rows. It waits until the user takes it, so that no row moves by itself. */
export interface News {
  /** The entities that the rows do not have, by their keys. */
  readonly added: ReadonlySet<string>;
  /** The rows whose entities are deleted. */
  readonly gone: ReadonlySet<string>;
  readonly isTableGone: boolean;
}

/** No news. */
export const noNews: News = { added: new Set(), gone: new Set(), isTableGone: false };

/** What waits until the user takes it. */
export const news = signal(noNews);

/** The rows that are older than their entities. */
export const stale = new Set<string>();

/** The properties that have just changed, by the keys of their entity. */
export const flashes = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

/** How long a changed value is marked. Unit: milliseconds. (Our choice.) */
const flashMs = 1500;

/** Marks changed values for a while. */
export function flash(changed: ReadonlyMap<string, ReadonlySet<string>>): void {
  if (changed.size === 0) return;
  flashes.value = new Map([...flashes.value, ...changed]);
  setTimeout(() => {
    flashes.value = new Map([...flashes.value].filter(([id, names]) => changed.get(id) !== names));
  }, flashMs);
}

/** Reads the rows again as far as they were read, in the place of those that are shown. The grid stays where it is. */
export async function takeNews(): Promise<void> {
  try {
    const read = await readRowsAgain();
    if (!read) return;
    stale.clear();
    news.value = noNews;
    takeRows(read);
  } catch (error) {
    showError(error);
  }
}

/** Forgets news about entities whose rows are as they should be. */
export function forgetNews(ids: Iterable<string>): void {
  const [added, gone] = [new Set(news.value.added), new Set(news.value.gone)];
  for (const id of ids) {
    added.delete(id);
    gone.delete(id);
  }
  news.value = { ...news.value, added, gone };
}

/** The button in the status line that takes what waits. */
export function NewsButton() {
  const { added, gone, isTableGone } = news.value;
  if (isTableGone) return <b>The table is deleted</b>;
  if (added.size + gone.size === 0) return null;
  const parts = [
    ...(added.size > 0 ? [`${added.size.toLocaleString('en')} new${filter.value === '' ? '' : ' in the table'}`] : []),
    ...(gone.size > 0 ? [`${gone.size.toLocaleString('en')} deleted`] : []),
  ];
  return (
    <button type="button" class="news" title="Read the rows again" onClick={() => void takeNews()}>
      {parts.join(', ')} ↻
    </button>
  );
}
