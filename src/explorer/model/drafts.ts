import { computed, effect, signal } from '@preact/signals';
import type { Entity } from '../base/entity.js';
import { type Draft, differs, draftOf } from './draft.js';
import { hrefOf } from './route.js';

/** Where this tab of the browser keeps drafts over a reload. */
const storedAs = 'tabularium.drafts';

/** The drafts that differ from their entities, by `draftId`. They stay until they are saved, taken back or typed back. */
export const drafts = signal<ReadonlyMap<string, Draft>>(readDrafts());

/** Whether a reload keeps the drafts. A browser may be full, or store nothing for this page. */
export const areStored = signal(true);

/** Returns the name of a draft: its place with the keys of its entity, or with the number of a new one. */
export function draftId({ account, table, loaded, number }: Draft): string {
  return JSON.stringify([account, table, ...(loaded ? [loaded.partitionKey, loaded.rowKey] : [number])]);
}

/** Returns the parameter `row` of the address of a draft: the keys of its entity, or the number of a new one. */
export function rowOf({ loaded, number }: Draft): string {
  return loaded ? JSON.stringify([loaded.partitionKey, loaded.rowKey]) : String(number);
}

/** The drafts, in the order in which they were begun. */
export const unsaved = computed(() => [...drafts.value.values()]);

/** Returns the address of the panel of a draft, for a link. */
export function hrefOfDraft(draft: Draft): string {
  const { account, table } = draft;
  return hrefOf({ account, tab: 'data', item: table, params: new Map([['row', rowOf(draft)]]) });
}

/** Keeps a draft, or forgets it if a save of it would change nothing. */
export function keepDraft(draft: Draft): void {
  const { loaded, partitionKey, rowKey, fields, offeredPartition } = draft;
  const isChanged = loaded
    ? differs(draftOf(draft, loaded), draft)
    : rowKey !== '' || fields.length > 0 || partitionKey !== offeredPartition;
  if (isChanged) drafts.value = new Map([...drafts.peek(), [draftId(draft), draft]]);
  else forgetDraft(draft);
}

/** Forgets a draft: it was saved, or the user has taken it back. */
export function forgetDraft(draft: Draft): void {
  const next = new Map(drafts.peek());
  if (next.delete(draftId(draft))) drafts.value = next;
}

/** Stores the drafts for a reload, and asks before the tab of the browser is closed with them. Call it once. */
export function startDrafts(): void {
  effect(() => {
    try {
      sessionStorage.setItem(storedAs, JSON.stringify([...drafts.value], writeMap));
      areStored.value = true;
    } catch {
      // An older text would come back as if it were the last one.
      sessionStorage.removeItem(storedAs);
      areStored.value = false;
    }
  });
  addEventListener('beforeunload', (event) => {
    if (drafts.peek().size > 0) event.preventDefault();
  });
}

function writeMap(_name: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

/** Reads the stored drafts. A stored text of another version of the page counts as none. */
function readDrafts(): ReadonlyMap<string, Draft> {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as [string, Draft][];
    return new Map(stored.map(([id, draft]) => [id, { ...draft, loaded: draft.loaded && readLoaded(draft.loaded) }]));
  } catch {
    return new Map();
  }
}

function readLoaded(entity: Entity): Entity {
  return { ...entity, properties: new Map(entity.properties) };
}
