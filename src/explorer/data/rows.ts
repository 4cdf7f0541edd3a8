import { batch, computed, signal } from '@preact/signals';
import type { Entity } from '../base/entity.js';
import { announce } from '../model/notices.js';
import { service } from '../model/service.js';
import type { Continuation, EntityPage, PageWish } from '../wire/table-client.js';

/** After so many entities, or so many empty pages in a row, reading continues only on demand. (Our choice.) */
const [rowsMax, emptyPagesMax] = [20_000, 20];

/** The progress of a query. */
export interface Progress {
  readonly status: 'idle' | 'reading' | 'failed';
  readonly error: Error | undefined;
  readonly emptyPages: number;
  /** Number of empty pages at the end. */
  readonly emptyInARow: number;
  /** Total time from request to last byte over all pages. Unit: milliseconds. */
  readonly ms: number;
  /** The requests, one for each page, by their `x-ms-request-id`. */
  readonly requestIds: readonly string[];
  readonly next: Continuation | undefined;
}

const nothing: Progress = {
  ...{ status: 'idle', error: undefined, emptyPages: 0, emptyInARow: 0, ms: 0, requestIds: [], next: undefined },
};

/** The progress of the current query. */
export const progress = signal<Progress>(nothing);

/** The entities that were read, in the order of the query. */
export const loadedEntities = signal<readonly Entity[]>([]);

/** Whether there may be more entities. */
export const hasMore = computed(() => progress.value.next !== undefined);

/** Whether the next page is read only on demand. */
export const isPaused = computed(
  () => hasMore.value && (progress.value.emptyInARow >= emptyPagesMax || loadedEntities.value.length >= rowsMax),
);

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
  query = undefined;
  putRows([], nothing);
}

/** Puts entities in the place of all that were read. A page that is being read is not for them. */
function putRows(entities: readonly Entity[], next: Progress): void {
  stopper.abort();
  stopper = new AbortController();
  batch(() => {
    progress.value = next;
    loadedEntities.value = entities;
  });
}

/** Reads the next page, and those after it while they are empty. Does nothing while a page is read. */
export async function readMore(): Promise<void> {
  const { status, next, requestIds } = progress.value;
  if (!query || status === 'reading' || (requestIds.length > 0 && !next)) return;
  const { signal } = stopper;
  progress.value = { ...progress.value, status: 'reading', error: undefined };
  try {
    for (let empty = 0; empty < emptyPagesMax; empty++) {
      const began = performance.now();
      const page = await service.readPage(query.table, query.wish, progress.value.next, signal);
      if (signal.aborted) return;
      add(page, performance.now() - began);
      if (page.entities.length > 0 || !page.next) break;
    }
    progress.value = { ...progress.value, status: 'idle' };
    announce(`${loadedEntities.value.length} entities${hasMore.value ? ', there are more' : ''}`);
  } catch (error) {
    if (!signal.aborted) progress.value = { ...progress.value, status: 'failed', error: error as Error };
  }
}

function add({ entities, next, requestId }: EntityPage, ms: number): void {
  const before = progress.value;
  const isEmpty = entities.length === 0;
  batch(() => {
    progress.value = {
      ...before,
      emptyPages: before.emptyPages + (isEmpty ? 1 : 0),
      emptyInARow: isEmpty ? before.emptyInARow + 1 : 0,
      ms: before.ms + ms,
      requestIds: [...before.requestIds, requestId],
      next,
    };
    loadedEntities.value = [...loadedEntities.value, ...entities];
  });
}

/** The entities of a query that were read again. */
export type RowsAgain = Pick<EntityPage, 'entities' | 'next'>;

/** Reads as many entities again, and leaves the rows as they are. Returns undefined for another query. Errors: those of `readPage`. */
export async function readRowsAgain(): Promise<RowsAgain | undefined> {
  if (!query || progress.value.requestIds.length === 0) return undefined;
  const { signal } = stopper;
  const entities: Entity[] = [];
  let next: Continuation | undefined;
  do {
    const page = await service.readPage(query.table, query.wish, next, signal);
    if (signal.aborted) return undefined;
    entities.push(...page.entities);
    next = page.next;
  } while (next && entities.length < loadedEntities.value.length);
  return { entities, next };
}

/** Puts entities that were read again in the place of the rows. */
export function takeRows({ entities, next }: RowsAgain): void {
  putRows(entities, { ...progress.value, status: 'idle', error: undefined, next });
}
