import { effect, signal, untracked } from '@preact/signals';
import { type Entity, type EntityKeys, idOf } from '../../client/entity.js';
import { mayEdit, reader } from '../../model/identities.js';
import { showError } from '../../model/notices.js';
import { route, setParams } from '../../model/route.js';
import { service } from '../../model/service.js';
import { session } from '../../model/session.js';
import { ask } from '../../parts/dialog.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';
import { type Draft, differs, draftOf, emptyDraft } from './draft.js';

/** The open entity; undefined if none is open. */
export const draft = signal<Draft | undefined>(undefined);

/** The draft as it was when the drawer opened. */
const opened = signal<Draft | undefined>(undefined);

/** Whether the grid takes the focus once it is drawn: an empty table has no grid. */
const gridTakesFocus = signal(false);

/** The property whose field gets the focus when the drawer opens. */
export const focusedProperty = signal<string | undefined>(undefined);

/** The error of the service about the keys of the draft. */
export const rejectedKeys = signal<string | undefined>(undefined);

/** Opens the current state of an entity, with all of its properties. */
export async function openEntity(entity: EntityKeys, property?: string): Promise<void> {
  if (!(await mayDiscard())) return;
  focusedProperty.value = property;
  setParams({ row: JSON.stringify([entity.partitionKey, entity.rowKey]) });
}

/** Opens the draft of a new entity in the partition of the first one. */
export async function newEntity(): Promise<void> {
  if (!(await mayDiscard())) return;
  setParams({ row: undefined });
  show(emptyDraft(loadedEntities.value[0]?.partitionKey ?? ''));
}

/** Opens a copy of an entity, which needs another key. */
export async function cloneEntity({ partitionKey, rowKey }: Entity): Promise<void> {
  const name = table.value;
  if (name === undefined || !(await mayDiscard())) return;
  service.readOne(name, { partitionKey, rowKey }).then((entity) => {
    setParams({ row: undefined });
    show(draftOf(entity, true));
  }, showError);
}

/** Shows a draft. */
export function show(next: Draft): void {
  rejectedKeys.value = undefined;
  opened.value = next;
  draft.value = next;
}

/** Asks before discarding unsaved edits. Returns whether there are none, or the user discards them. */
async function mayDiscard(): Promise<boolean> {
  const [before, now] = [opened.value, draft.value];
  const isChanged = before !== undefined && now !== undefined && differs(before, now);
  return !isChanged || ask('Discard your edits?', 'They have not been saved.', 'Discard');
}

/** Closes the drawer, after a question if there are unsaved edits. */
export async function leaveDrawer(): Promise<void> {
  if (await mayDiscard()) closeDrawer();
}

/** Takes the focus after the drawer has closed. */
export function takeGridFocus(grid: HTMLElement | null): void {
  if (gridTakesFocus.peek()) grid?.focus();
  gridTakesFocus.value = false;
}

/** Closes the drawer without saving, and returns the focus to the grid. */
export function closeDrawer(): void {
  draft.value = undefined;
  opened.value = undefined;
  rejectedKeys.value = undefined;
  focusedProperty.value = undefined;
  setParams({ row: undefined });
  const grid = document.querySelector<HTMLElement>('[role=grid]');
  gridTakesFocus.value = grid === null;
  grid?.focus();
}

/** Follows the address, which has the keys of the open entity, and the identity that reads it. */
export function followDrawer(): () => void {
  let last: string | undefined;
  return effect(() => {
    const [name, row] = [table.value, route.value.params.get('row')];
    const place = session.value && JSON.stringify([route.value.account, reader.value, name, row]);
    if (place === last) return;
    last = place;
    untracked(() => {
      if (draft.value?.loaded || !mayEdit.value) draft.value = undefined;
      const keys = readKeys(row);
      if (name === undefined || !keys) return;
      // The user may have gone elsewhere meanwhile.
      service.readOne(name, keys).then(
        (entity) => {
          if (place === last) show(draftOf(entity));
        },
        (error: unknown) => {
          showError(error);
          // An unchanged address could not be followed a second time.
          if (place === last) setParams({ row: undefined });
        },
      );
    });
  });
}

/** Returns whether a draft is of this entity. */
export function isOpen(entity: Entity): boolean {
  return draft.value?.loaded !== undefined && idOf(draft.value.loaded) === idOf(entity);
}

function readKeys(text: string | undefined): EntityKeys | undefined {
  if (text === undefined) return undefined;
  try {
    const [partitionKey, rowKey] = JSON.parse(text);
    return typeof partitionKey === 'string' && typeof rowKey === 'string' ? { partitionKey, rowKey } : undefined;
  } catch {
    return undefined;
  }
}
