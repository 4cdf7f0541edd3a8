import { computed, signal } from '@preact/signals';
import { type Draft, type DraftPlace, isChanged } from './draft.js';
import { hrefOf } from './route.js';

/** Where this tab of the browser keeps each draft over a reload: this, and its `draftId`. */
const storedAs = 'tabularium.draft.';

/** The drafts in which something is typed, by `draftId`. They stay until they are saved, taken back or typed back. */
export const drafts = signal<ReadonlyMap<string, Draft>>(readDrafts());

/** The drafts, in the order in which they were begun. */
export const unsaved = computed(() => [...drafts.value.values()]);

/** The drafts that a reload would lose: a browser may be full, or store nothing for this page. */
const missing = new Set<string>();

/** Whether a reload keeps the drafts. */
export const areStored = signal(true);

/** Returns the name of a draft: its place, with its parameter `row`. */
export function draftId({ account, table, row }: DraftPlace & Pick<Draft, 'row'>): string {
  return JSON.stringify([account, table, row]);
}

/** Returns the address of the panel of a draft, for a link. */
export function hrefOfDraft({ account, table, row }: Draft): string {
  return hrefOf({ account, tab: 'data', item: table, params: new Map([['row', row]]) });
}

/** Keeps a draft, or forgets it if nothing is typed. */
export function keepDraft(draft: Draft): void {
  if (!isChanged(draft)) forgetDraft(draft);
  else {
    const id = draftId(draft);
    drafts.value = new Map(drafts.peek()).set(id, draft);
    write(id, draft);
  }
}

/** Forgets a draft: it was saved, or the user has taken it back. */
export function forgetDraft(draft: Draft): void {
  const next = new Map(drafts.peek());
  const id = draftId(draft);
  if (!next.delete(id)) return;
  drafts.value = next;
  sessionStorage.removeItem(storedAs + id);
  missing.delete(id);
  areStored.value = missing.size === 0;
  for (const one of missing) write(one, next.get(one));
}

function write(id: string, draft: Draft | undefined): void {
  try {
    sessionStorage.setItem(storedAs + id, JSON.stringify(draft, writeMap));
    missing.delete(id);
  } catch {
    // An older text would come back as if it were the last one.
    sessionStorage.removeItem(storedAs + id);
    missing.add(id);
  }
  areStored.value = missing.size === 0;
}

/** Asks before the tab of the browser is closed with drafts. Call it once. */
export function startDrafts(): void {
  addEventListener('beforeunload', (event) => {
    if (drafts.peek().size > 0) event.preventDefault();
  });
}

function writeMap(_name: string, value: unknown): unknown {
  return value instanceof Map ? { entries: [...value] } : value;
}

function readMap(_name: string, value: { readonly entries?: unknown } | null): unknown {
  return Array.isArray(value?.entries) ? new Map(value.entries) : value;
}

/** Reads the stored drafts. A stored text of another version of the page counts as none. */
function readDrafts(): ReadonlyMap<string, Draft> {
  const stored = Object.entries(sessionStorage).filter(([name]) => name.startsWith(storedAs));
  const read = stored.sort().map(([, text]) => JSON.parse(text, readMap) as Draft);
  return new Map(read.filter(({ changes }) => changes instanceof Map).map((draft) => [draftId(draft), draft]));
}
