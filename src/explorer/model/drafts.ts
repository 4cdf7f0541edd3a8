import { computed, effect, signal } from '@preact/signals';
import type { Entity } from '../base/entity.js';
import { type Draft, differs, draftOf } from './draft.js';
import { hrefOf } from './route.js';

/** Where this tab of the browser keeps each draft over a reload: this, and its `draftId`. */
const storedAs = 'tabularium.draft.';

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
  keepDrafts([draft]);
}

/** Keeps several drafts at once. */
export function keepDrafts(changed: readonly Draft[]): void {
  const next = new Map(drafts.peek());
  for (const draft of changed) {
    if (isChanged(draft)) next.set(draftId(draft), draft);
    else next.delete(draftId(draft));
  }
  if (next.size > 0 || drafts.peek().size > 0) drafts.value = next;
}

/** Whether a save of a draft would change something, or its text in JSON has a fault. */
function isChanged(draft: Draft): boolean {
  const { loaded, partitionKey, rowKey, fields, offeredPartition, json } = draft;
  if (json?.fault) return true;
  return loaded
    ? differs(draftOf(draft, loaded), draft)
    : rowKey !== '' || fields.length > 0 || partitionKey !== offeredPartition;
}

/** Forgets a draft: it was saved, or the user has taken it back. */
export function forgetDraft(draft: Draft): void {
  const next = new Map(drafts.peek());
  if (next.delete(draftId(draft))) drafts.value = next;
}

/** Stores the drafts for a reload, and asks before the tab of the browser is closed with them. Call it once. */
export function startDrafts(): void {
  let last: ReadonlyMap<string, Draft> = drafts.peek();
  const missing = new Set<string>();
  effect(() => {
    const now = drafts.value;
    const gone = [...last.keys()].filter((id) => !now.has(id));
    for (const id of gone) sessionStorage.removeItem(storedAs + id);
    for (const [id, draft] of now) {
      const isTried = last.get(id) === draft && !(missing.has(id) && gone.length > 0);
      if (isTried) continue;
      missing.delete(id);
      try {
        sessionStorage.setItem(storedAs + id, JSON.stringify(draft, writeMap));
      } catch {
        // An older text would come back as if it were the last one.
        sessionStorage.removeItem(storedAs + id);
        missing.add(id);
      }
    }
    for (const id of gone) missing.delete(id);
    last = now;
    areStored.value = missing.size === 0;
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
  const read = Object.entries(sessionStorage).flatMap(([name, text]) => {
    const draft = name.startsWith(storedAs) ? readDraft(text) : undefined;
    return draft ? [draft] : [];
  });
  return new Map(read.sort((a, b) => a.number - b.number).map((draft) => [draftId(draft), draft]));
}

function readDraft(text: string): Draft | undefined {
  try {
    const draft = JSON.parse(text) as Draft;
    const { loaded, problem } = draft;
    const theirs = problem?.theirs && readLoaded(problem.theirs);
    return { ...draft, loaded: loaded && readLoaded(loaded), problem: problem && { ...problem, theirs } };
  } catch {
    return undefined;
  }
}

function readLoaded(entity: Entity): Entity {
  return { ...entity, properties: new Map(entity.properties) };
}
