import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { Entity, EntityKeys } from '../../base/entity.js';
import {
  copyOf,
  type Draft,
  type DraftPlace,
  draftOf,
  newDraft,
  overlapOf,
  rebase,
  rowOf,
  unchanged,
} from '../../model/draft.js';
import { draftId, drafts, forgetDraft, keepDraft } from '../../model/drafts.js';
import { reader } from '../../model/identities.js';
import { showError } from '../../model/notices.js';
import { closeOver, openOver, route } from '../../model/route.js';
import { serviceOf } from '../../model/service.js';
import { account, session } from '../../model/session.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';

/** The open entity without what is typed; undefined if none is open. */
const opened = signal<Draft | undefined>(undefined);

/** The open entity, with what is typed. */
export const draft = computed(() => opened.value && (drafts.value.get(draftId(opened.value)) ?? opened.value));

/** Whether the grid takes the focus once it is drawn: an empty table has none. */
const gridTakesFocus = signal(false);

/** The property whose field gets the focus when the panel opens. */
export const focusedProperty = signal<string | undefined>(undefined);

/** Opens an entity with all of its properties: as it is now, or as its draft has it. */
export function openEntity(entity: EntityKeys, property?: string): void {
  focusedProperty.value = property;
  openOver('row', rowOf(entity));
}

/** Opens the draft of a new entity, in the partition of the first one. */
export function newEntity(): void {
  const place = placeOf(table.value);
  if (place) openOver('row', newDraft(place, '').row);
}

/** Opens a copy of an entity, which needs another key. */
export function cloneEntity(keys: Entity): void {
  const place = placeOf(table.value);
  if (!place) return;
  const read = serviceOf(place.account).readOne(place.table, keys);
  read.then((entity) => openDraft(copyOf(place, entity, entity.properties)), showError);
}

/** Keeps a draft, and opens it if its table is shown. */
export function openDraft(next: Draft): void {
  keepDraft(next);
  focusedProperty.value = undefined;
  const shown = placeOf(table.value);
  if (shown?.account === next.account && shown.table === next.table) openOver('row', next.row);
}

/** Whether a draft is the open one, in this or another version. */
export function isOpenDraft(one: Draft): boolean {
  return draft.value !== undefined && draftId(draft.value) === draftId(one);
}

/** Returns the last version of a draft; undefined if nothing is typed, and it is not open. */
export function lastVersion(one: Draft): Draft | undefined {
  return isOpenDraft(one) ? draft.value : drafts.peek().get(draftId(one));
}

/** Takes an entity as it is now: the panel shows it, and its draft is put onto it, unless both have changed the same. Then its save asks. */
export function takeEntity({ account, table }: DraftPlace, entity: Entity): void {
  const next = draftOf({ account, table }, entity);
  const kept = drafts.peek().get(draftId(next));
  batch(() => {
    if (isOpenDraft(next)) opened.value = next;
    // A text that cannot be read may change any property.
    if (kept && kept.json === undefined && overlapOf(kept, entity).length === 0) keepDraft(rebase(kept, entity));
  });
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
  opened.value = undefined;
  focusedProperty.value = undefined;
  closeOver('row');
  const grid = document.querySelector<HTMLElement>('[role=grid]');
  gridTakesFocus.value = grid === null;
  grid?.focus();
}

/** Follows the address, which has the row of the entity that is open, and who reads it, until the returned function is called. */
export function followPanel(): () => void {
  let last: string | undefined;
  const stop = effect(() => {
    const [name, row] = [table.value, route.value.params.get('row')];
    const place = session.value && JSON.stringify([route.value.account, reader.value, name, row]);
    if (place === last) return;
    last = place;
    untracked(() => {
      opened.value = undefined;
      const [at, keys] = [placeOf(name), readKeys(row)];
      if (!at || row === undefined) return;
      const kept = drafts.value.get(draftId({ ...at, row }));
      if (kept) opened.value = unchanged(kept);
      else if (Number(row) > 0) opened.value = newDraft(at, loadedEntities.value[0]?.partitionKey ?? '', row);
      if (!keys) return;
      // The user may have gone elsewhere meanwhile.
      const isLeft = () => place !== last;
      serviceOf(at.account)
        .readOne(at.table, keys)
        .then(
          (entity) => {
            if (isLeft()) return;
            opened.value = draftOf(at, entity);
            takeEntity(at, entity);
          },
          (error: unknown) => {
            // A draft is shown without it.
            if (kept) return;
            showError(error);
            // An address that stayed as it is could not be followed a second time.
            if (!isLeft()) closeOver('row');
          },
        );
    });
  });
  return () => {
    stop();
    opened.value = undefined;
  };
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
