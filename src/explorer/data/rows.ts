import { batch, computed, signal } from '@preact/signals';
import type { Entity } from '../base/entity.js';
import { announce } from '../model/notices.js';
import { service } from '../model/service.js';
import type { Continuation, PageWish } from '../wire/table-client.js';

/** A page. Its entities may be dropped from memory; its continuation is kept, to read it again. */
interface CachedPage {
  readonly from: Continuation | undefined;
  /** The position of its first entity. */
  start: number;
  count: number;
  entities: readonly Entity[] | undefined;
}

/** Maximum number of entities in memory. (Our choice: twenty pages.) */
const rowsMax = 20_000;

/** After this many empty pages in a row, reading continues only on demand. (Our choice.) */
const emptyPagesMax = 20;

/** The progress of a query. */
export interface Progress {
  readonly status: 'idle' | 'reading' | 'failed';
  readonly error: Error | undefined;
  /** Number of returned entities. */
  readonly returned: number;
  readonly pages: number;
  readonly emptyPages: number;
  /** Number of empty pages at the end. */
  readonly emptyInARow: number;
  /** Total time from request to last byte over all pages. Unit: milliseconds. */
  readonly ms: number;
  /** The requests, by their `x-ms-request-id`. */
  readonly requestIds: readonly string[];
  readonly next: Continuation | undefined;
}

const nothing: Progress = {
  ...{ status: 'idle', error: undefined, returned: 0, pages: 0, emptyPages: 0, emptyInARow: 0 },
  ...{ ms: 0, requestIds: [], next: undefined },
};

/** The progress of the current query. */
export const progress = signal<Progress>(nothing);

/** Increases with each change of the rows in memory. */
export const revision = signal(0);

/** Increases when rows come, go or are read again, so that a position may have another row. */
export const placement = signal(0);

/** Whether there may be more entities. */
export const hasMore = computed(() => progress.value.next !== undefined);

/** Whether the next page is read only on demand, after many empty ones. */
export const isPaused = computed(() => hasMore.value && progress.value.emptyInARow >= emptyPagesMax);

let cachedPages: CachedPage[] = [];
let query: { readonly table: string; readonly wish: PageWish } | undefined;
let stopper = new AbortController();

/** Forgets all rows, and reads the first page of a query. */
export async function startRows(table: string, wish: PageWish): Promise<void> {
  forgetRows();
  query = { table, wish };
  await readMore();
}

/** Forgets the query and its rows. */
export function forgetRows(): void {
  stopper.abort();
  stopper = new AbortController();
  cachedPages = [];
  query = undefined;
  batch(() => {
    progress.value = nothing;
    placement.value++;
    revision.value++;
  });
}

/** Reads the next page, and those after it while they are empty. Does nothing while a page is read. */
export async function readMore(): Promise<void> {
  const { status, next, pages } = progress.value;
  if (!query || status === 'reading' || (pages > 0 && !next)) return;
  const { signal } = stopper;
  let from = next;
  progress.value = { ...progress.value, status: 'reading', error: undefined };
  try {
    for (let empty = 0; empty < emptyPagesMax; empty++) {
      const began = performance.now();
      const page = await service.readPage(query.table, query.wish, from, signal);
      if (signal.aborted) return;
      add(page, from, performance.now() - began);
      from = page.next;
      if (page.entities.length > 0 || !from) break;
    }
    progress.value = { ...progress.value, status: 'idle' };
    announce(`${progress.value.returned} entities${hasMore.value ? ', there are more' : ''}`);
  } catch (error) {
    if (!signal.aborted) progress.value = { ...progress.value, status: 'failed', error: error as Error };
  }
}

/** Returns the entity at a position; undefined while it is read again, and for the header, which is at -1. */
export function rowAt(index: number): Entity | undefined {
  const page = pageAt(index);
  if (page && !page.entities) void readAgain(page);
  return page?.entities?.[index - page.start];
}

/** Returns the entities in memory, with their positions. */
export function* loadedRows(): Generator<readonly [number, Entity]> {
  for (const { start, entities = [] } of cachedPages) {
    for (const [at, entity] of entities.entries()) yield [start + at, entity];
  }
}

/** The pages in memory. A page whose entities have not changed is the same list. */
export const loadedPages = computed<readonly (readonly Entity[])[]>(() => {
  void revision.value;
  return cachedPages.flatMap(({ entities }) => (entities ? [entities] : []));
});

/** The entities in memory, in the order of the query. */
export const loadedEntities = computed(() => loadedPages.value.flat());

/** Replaces a changed entity. */
export function replaceRow(index: number, entity: Entity): void {
  const page = pageAt(index);
  if (!page?.entities) return;
  page.entities = page.entities.with(index - page.start, entity);
  revision.value++;
}

/** Changes the rows of each page in memory; `isLast` is whether it is the last page that was read. The same list stands for no change. */
export function editRows(edit: (rows: readonly Entity[], isLast: boolean) => readonly Entity[]): void {
  let start = 0;
  let hasMoved = false;
  for (const page of cachedPages) {
    const before = page.entities ?? [];
    const after = before.length > 0 ? edit(before, page === cachedPages.at(-1)) : before;
    if (after !== before) page.entities = after;
    page.count += after.length - before.length;
    hasMoved ||= after.length !== before.length;
    page.start = start;
    start += page.count;
  }
  batch(() => {
    if (start !== progress.value.returned) progress.value = { ...progress.value, returned: start };
    if (hasMoved) placement.value++;
    revision.value++;
  });
}

/** Pages that were read again. */
export interface RowsAgain {
  readonly pages: CachedPage[];
  readonly next: Continuation | undefined;
}

/** Reads the pages again, as far as they were read, and leaves the rows as they are. Returns undefined for another query. Errors: those of `readPage`. */
export async function readRowsAgain(): Promise<RowsAgain | undefined> {
  if (!query || progress.value.pages === 0) return undefined;
  const { signal } = stopper;
  const pages: CachedPage[] = [];
  let next: Continuation | undefined;
  let start = 0;
  do {
    const from = next;
    const page = await service.readPage(query.table, query.wish, from, signal);
    if (signal.aborted) return undefined;
    const count = page.entities.length;
    if (count > 0) pages.push({ from, start, count, entities: page.entities });
    start += count;
    next = page.next;
  } while (next && start < progress.value.returned);
  return { pages, next };
}

/** Puts pages in the place of those in memory. */
export function takeRows({ pages, next }: RowsAgain): void {
  stopper.abort();
  stopper = new AbortController();
  cachedPages = pages;
  const returned = pages.reduce((sum, { count }) => sum + count, 0);
  dropFarFrom(0);
  batch(() => {
    progress.value = { ...progress.value, status: 'idle', error: undefined, returned, next };
    placement.value++;
    revision.value++;
  });
}

function add(
  { entities, next, requestId }: Awaited<ReturnType<typeof service.readPage>>,
  from: Continuation | undefined,
  ms: number,
): void {
  const { returned, pages, emptyPages, emptyInARow, requestIds, ms: before } = progress.value;
  if (entities.length > 0) cachedPages.push({ from, start: returned, count: entities.length, entities });
  dropFarFrom(returned);
  batch(() => {
    progress.value = {
      ...progress.value,
      returned: returned + entities.length,
      pages: pages + 1,
      emptyPages: emptyPages + (entities.length === 0 ? 1 : 0),
      emptyInARow: entities.length === 0 ? emptyInARow + 1 : 0,
      ms: before + ms,
      requestIds: [...requestIds, requestId],
      next,
    };
    placement.value++;
    revision.value++;
  });
}

function pageAt(index: number): CachedPage | undefined {
  return cachedPages.findLast(({ start }) => start <= index);
}

async function readAgain(page: CachedPage): Promise<void> {
  if (!query) return;
  const { signal } = stopper;
  page.entities = [];
  try {
    const { entities } = await service.readPage(query.table, query.wish, page.from, signal);
    if (signal.aborted) return;
    page.entities = entities.slice(0, page.count);
    dropFarFrom(page.start);
    revision.value++;
  } catch {
    // It is read again on the next access.
    page.entities = undefined;
  }
}

/** Drops the pages that are the farthest from a position, until the rest is small enough. */
function dropFarFrom(index: number): void {
  const loaded = cachedPages.filter(({ entities }) => entities && entities.length > 0);
  let rows = loaded.reduce((sum, { count }) => sum + count, 0);
  for (const page of loaded.sort((a, b) => Math.abs(b.start - index) - Math.abs(a.start - index))) {
    if (rows <= rowsMax) return;
    rows -= page.count;
    page.entities = undefined;
  }
}
