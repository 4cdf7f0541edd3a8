import { effect, signal, untracked } from '@preact/signals';
import type { Entity, EntityKeys } from '../../base/entity.js';
import { type Draft, type DraftPlace, draftOf, emptyDraft, rebase } from '../../model/draft.js';
import { draftId, drafts, forgetDraft, keepDraft, rowOf } from '../../model/drafts.js';
import { reader } from '../../model/identities.js';
import { showError } from '../../model/notices.js';
import { closeOver, openOver, route } from '../../model/route.js';
import { serviceOf } from '../../model/service.js';
import { account, session } from '../../model/session.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';

/** The open entity; undefined if none is open. */
export const draft = signal<Draft | undefined>(undefined);

/** Whether the grid takes the focus once it is drawn: an empty table has none. */
const gridTakesFocus = signal(false);

/** The property whose field gets the focus when the panel opens. */
export const focusedProperty = signal<string | undefined>(undefined);

/** Opens an entity with all of its properties: as it is now, or as its draft has it. */
export function openEntity(entity: EntityKeys, property?: string): void {
  focusedProperty.value = property;
  openOver('row', JSON.stringify([entity.partitionKey, entity.rowKey]));
}

/** Opens the draft of a new entity, in the partition of the first one. */
export function newEntity(): void {
  const place = placeOf(table.value);
  if (place) openDraft(emptyDraft(place, loadedEntities.value[0]?.partitionKey ?? ''));
}

/** Opens a copy of an entity, which needs another key. */
export function cloneEntity({ partitionKey, rowKey }: Entity): void {
  const place = placeOf(table.value);
  if (!place) return;
  serviceOf(place.account)
    .readOne(place.table, { partitionKey, rowKey })
    .then((entity) => openDraft(draftOf(place, entity, true)), showError);
}

/** Keeps a draft, and opens it if its table is shown. */
export function openDraft(next: Draft): void {
  keepDraft(next);
  focusedProperty.value = undefined;
  const shown = placeOf(table.value);
  if (shown?.account === next.account && shown.table === next.table) openOver('row', rowOf(next));
}

/** Whether a draft is the open one, in this or another version. */
export function isOpenDraft(one: Draft): boolean {
  return draft.value !== undefined && draftId(draft.value) === draftId(one);
}

/** Returns the last version of a draft; undefined if nothing of it differs from its entity. */
export function lastVersion(one: Draft): Draft | undefined {
  return isOpenDraft(one) ? draft.value : drafts.peek().get(draftId(one));
}

/** Discards the draft that is open. */
export function takeBack(): void {
  if (draft.value) forgetDraft(draft.value);
  closePanel();
}

/** Takes the focus after the panel has closed. */
export function takeGridFocus(grid: HTMLElement | null): void {
  if (gridTakesFocus.peek()) grid?.focus();
  gridTakesFocus.value = false;
}

/** Closes the panel, and gives the focus back to the grid. A draft that is not saved stays. */
export function closePanel(): void {
  draft.value = undefined;
  focusedProperty.value = undefined;
  closeOver('row');
  const grid = document.querySelector<HTMLElement>('[role=grid]');
  gridTakesFocus.value = grid === null;
  grid?.focus();
}

/** Follows the address, which has the keys of the entity that is open, and who reads it. Keeps what is typed. */
export function followPanel(): () => void {
  const stops = [effect(() => draft.value && keepDraft(draft.value)), followPlace()];
  return () => {
    for (const stop of stops) stop();
    draft.value = undefined;
  };
}

function followPlace(): () => void {
  let last: string | undefined;
  return effect(() => {
    const [name, row] = [table.value, route.value.params.get('row')];
    const place = session.value && JSON.stringify([route.value.account, reader.value, name, row]);
    if (place === last) return;
    last = place;
    untracked(() => {
      draft.value = undefined;
      const [at, keys] = [placeOf(name), readKeys(row)];
      if (!at || row === undefined) return;
      const number = Number(row);
      const kept = drafts.value.get(
        JSON.stringify([at.account, at.table, ...(keys ? [keys.partitionKey, keys.rowKey] : [number])]),
      );
      if (kept) draft.value = kept;
      else if (!keys && number > 0) {
        draft.value = emptyDraft(at, loadedEntities.value[0]?.partitionKey ?? '', number);
      }
      if ((kept && !kept.isPartial) || !keys) return;
      // The user may have gone elsewhere meanwhile.
      serviceOf(at.account)
        .readOne(at.table, keys)
        .then(
          (entity) => {
            if (place === last) draft.value = kept ? completed(lastVersion(kept) ?? kept, entity) : draftOf(at, entity);
          },
          (error: unknown) => {
            showError(error);
            // An address that stayed as it is could not be followed a second time.
            if (place === last) closeOver('row');
          },
        );
    });
  });
}

/** Adds the properties to a draft that a query has left out. If someone has changed what it changes, the save will ask. */
function completed(kept: Draft, entity: Entity): Draft {
  const { draft: whole, overlap } = rebase(kept, entity);
  return overlap.length > 0 ? kept : whole;
}

/** Returns the place of a table of the account that is shown; undefined without either. */
function placeOf(table: string | undefined): DraftPlace | undefined {
  return table === undefined || !account.value ? undefined : { account: account.value.name, table };
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
