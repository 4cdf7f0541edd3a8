import { signal } from '@preact/signals';
import { type Entity, idOf } from '../../client/entity.js';
import { ServiceError } from '../../client/table-client.js';
import { changedProperties, type Draft, differs, draftOf, keysOf, propertiesOf, rebase } from '../../model/draft.js';
import { draftId, forgetDraft } from '../../model/drafts.js';
import { showDone, showError } from '../../model/notices.js';
import { serviceOf } from '../../model/service.js';
import { account } from '../../model/session.js';
import { restart } from '../query/query.js';
import { loadedRows, replaceRow } from '../rows.js';
import { loadTables, table } from '../tables.js';
import { closeDrawer, draft, rejectedKeys, show } from './drawer-state.js';

/** A save that met a change of someone else to the same property. */
export interface Conflict {
  readonly draft: Draft;
  /** The current entity; undefined if someone has deleted it. */
  readonly theirs: Entity | undefined;
}

/** The conflict that the user has to decide. */
export const conflict = signal<Conflict | undefined>(undefined);

/** Whether a save is in progress. */
export const isSaving = signal(false);

/** Saves the draft that is open: with the ETag that it was loaded with, or as a new entity. */
export async function save(): Promise<void> {
  const current = draft.value;
  if (!current || isSaving.value) return;
  isSaving.value = true;
  try {
    await (current.loaded ? change(current, current.loaded) : insert(current));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'EntityAlreadyExists') rejectedKeys.value = error.message;
    else showError(error);
  } finally {
    isSaving.value = false;
  }
}

/** Resolves a conflict: writes what the user has changed over the entity as it is now. */
export async function keepMine(): Promise<void> {
  const decided = conflict.value;
  conflict.value = undefined;
  if (!decided?.theirs) return;
  draft.value = rebase(decided.draft, decided.theirs).draft;
  await save();
}

/** Resolves a conflict with a deletion: inserts the draft as a new entity. */
export async function insertAgain(): Promise<void> {
  const decided = conflict.value;
  conflict.value = undefined;
  if (!decided) return;
  forgetDraft(decided.draft);
  draft.value = { ...decided.draft, loaded: undefined };
  await save();
}

/** Resolves a conflict: shows the current entity in place of the draft. */
export function takeTheirs(): void {
  const decided = conflict.value;
  conflict.value = undefined;
  if (!decided) return;
  forgetDraft(decided.draft);
  if (decided.theirs) {
    update(decided.draft, decided.theirs);
    show(draftOf(decided.draft, decided.theirs));
  } else {
    closeDrawer();
    restart();
  }
}

/**
 * Writes what differs from the loaded entity. If someone has changed the entity meanwhile, but no property that the draft changes, it is written
 * onto theirs.
 */
async function change(current: Draft, loaded: Entity, sent = current): Promise<void> {
  const keys = keysOf(current);
  const service = serviceOf(current.account);
  const all = propertiesOf(current);
  // A merge cannot remove a property.
  const isMerge = [...loaded.properties.keys()].every((one) => all.has(one));
  const wish = isMerge
    ? ({ how: 'merge', properties: changedProperties(current) } as const)
    : ({ how: 'replace', properties: all } as const);
  try {
    await service.changeEntity(current.table, keys, { ...wish, etag: loaded.etag });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const theirs = await service.readOne(current.table, keys).catch((gone: unknown) => {
      if (gone instanceof ServiceError && gone.status === 404) return undefined;
      throw gone;
    });
    const rebased = theirs && rebase(current, theirs);
    if (!theirs || !rebased || rebased.overlap.length > 0) {
      conflict.value = { draft: current, theirs };
      return;
    }
    await change(rebased.draft, theirs, sent);
    return;
  }
  finish(sent, await service.readOne(current.table, keys), 'Saved.');
}

async function insert(current: Draft): Promise<void> {
  const service = serviceOf(current.account);
  await service.insertEntity(current.table, keysOf(current), propertiesOf(current));
  const { table: name, account: owner } = current;
  finish(current, await service.readOne(current.table, keysOf(current)), 'Inserted.');
  if (name === table.value && owner === account.value?.name) restart();
  void loadTables();
}

/** Ends a save. `sent` is the draft as it was then: text that was typed since stays a draft, on the entity as it is saved. */
function finish(sent: Draft, entity: Entity, text: string): void {
  forgetDraft(sent);
  update(sent, entity);
  showDone(text);
  const open = draft.value;
  if (!open || draftId(open) !== draftId(sent)) return;
  if (!differs(open, sent)) {
    closeDrawer();
    return;
  }
  const { partitionKey, rowKey } = sent;
  const typed = { ...open, partitionKey, rowKey, loaded: { ...entity, properties: propertiesOf(sent) } };
  show(rebase(typed, entity).draft);
}

/** Returns whether an error means that someone else has changed or removed the entity. */
function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 412 || error.status === 404);
}

/** Shows an entity as it is now in the grid, if its table is shown. */
function update(place: Draft, entity: Entity): void {
  if (place.table !== table.value || place.account !== account.value?.name) return;
  for (const [index, row] of loadedRows()) {
    if (idOf(row) !== idOf(entity)) continue;
    replaceRow(index, entity);
    return;
  }
}
