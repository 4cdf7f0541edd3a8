import { computed, effect, signal } from '@preact/signals';
import type { Entity } from '../client/entity.js';
import { type Draft, differs, draftOf } from './draft.js';
import { hrefOf } from './route.js';

/** Where this tab of the browser keeps drafts over a reload. */
const storedAs = 'tabularium.drafts';

/** The drafts that differ from their entities, by `draftId`. They stay until they are saved or taken back. */
export const drafts = signal<ReadonlyMap<string, Draft>>(readDrafts());

/** Returns the name of the place that a draft is for. A table has one draft of a new entity. */
export function draftId({ account, table, loaded }: Draft): string {
  return JSON.stringify([account, table, ...(loaded ? [loaded.partitionKey, loaded.rowKey] : [])]);
}

/** The drafts, in the order in which they were begun. */
export const unsaved = computed(() => [...drafts.value.values()]);

/** The value of the parameter `row` for the new entity of a table. Otherwise it is a list of the keys. */
export const newRow = 'new';

/** Returns the address of the drawer of a draft, for a link. */
export function hrefOfDraft({ account, table, loaded }: Draft): string {
  const row = loaded ? JSON.stringify([loaded.partitionKey, loaded.rowKey]) : newRow;
  return hrefOf({ account, tab: 'data', item: table, params: new Map([['row', row]]) });
}

/** Keeps a draft, or forgets it if a save of it would change nothing. */
export function keepDraft(draft: Draft): void {
  const id = draftId(draft);
  const isChanged = draft.loaded
    ? differs(draftOf(draft, draft.loaded), draft)
    : draft.rowKey !== '' || draft.fields.length > 0;
  if (!isChanged && !drafts.peek().has(id)) return;
  const next = new Map(drafts.peek());
  if (isChanged) next.set(id, draft);
  else next.delete(id);
  drafts.value = next;
}

/** Forgets a draft: it was saved, or the user has taken it back. */
export function forgetDraft(draft: Draft): void {
  const next = new Map(drafts.peek());
  next.delete(draftId(draft));
  drafts.value = next;
}

/** Stores the drafts for a reload, and asks before the tab of the browser is closed with them. Call it once. */
export function startDrafts(): void {
  effect(() => {
    try {
      sessionStorage.setItem(storedAs, JSON.stringify([...drafts.value], writeMap));
    } catch {
      // The browser is full, or it stores nothing for this page. The drafts stay in memory.
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
