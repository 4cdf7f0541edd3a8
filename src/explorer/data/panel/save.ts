import { signal } from '@preact/signals';
import { type Entity, idOf } from '../../base/entity.js';
import {
  changedProperties,
  type Draft,
  differs,
  draftOf,
  emptyDraft,
  isValid,
  keysOf,
  propertiesOf,
  rebase,
} from '../../model/draft.js';
import { draftId, forgetDraft, keepDraft } from '../../model/drafts.js';
import { mayEdit } from '../../model/identities.js';
import { showDone, showError } from '../../model/notices.js';
import { serviceOf } from '../../model/service.js';
import { account } from '../../model/session.js';
import { ServiceError } from '../../wire/table-client.js';
import { restart } from '../query/query.js';
import { loadedRows, replaceRow } from '../rows.js';
import { loadTables, table } from '../tables.js';
import { closePanel, draft, isOpenDraft, lastVersion, openDraft, rejectedKeys, show } from './panel-state.js';

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

/** Saves a draft: with the ETag that its entity was loaded with, or as a new entity. An invalid one is not sent. */
export async function save(current = draft.value): Promise<void> {
  if (!current || isSaving.value || !mayEdit.value || !isValid(current)) return;
  isSaving.value = true;
  try {
    await (current.loaded ? change(current, current.loaded) : insert(current));
  } catch (error) {
    const isKnown = error instanceof ServiceError && error.code === 'EntityAlreadyExists' && isOpenDraft(current);
    if (isKnown) rejectedKeys.value = error.message;
    else showError(error);
  } finally {
    isSaving.value = false;
  }
}

/** Takes the conflict that the user has decided, with the last version of its draft. */
function takeConflict(): Conflict | undefined {
  const decided = conflict.value;
  conflict.value = undefined;
  return decided && { ...decided, draft: lastVersion(decided.draft) ?? decided.draft };
}

/** Resolves a conflict: writes what the user has changed over the entity as it is now. */
export async function keepMine(): Promise<void> {
  const decided = takeConflict();
  if (decided?.theirs) await replaceAndSave(decided.draft, rebase(decided.draft, decided.theirs).draft);
}

/** Resolves a conflict with a deletion: inserts the draft as a new entity. */
export async function insertAgain(): Promise<void> {
  const decided = takeConflict();
  if (!decided) return;
  const { draft: mine } = decided;
  await replaceAndSave(mine, { ...emptyDraft(mine, ''), ...keysOf(mine), fields: mine.fields });
}

async function replaceAndSave(before: Draft, next: Draft): Promise<void> {
  replace(before, next);
  await save(next);
}

/** Puts a draft in the place of another one. The panel shows it, if it showed the other. */
function replace(before: Draft, next: Draft): void {
  const isOpen = isOpenDraft(before);
  forgetDraft(before);
  keepDraft(next);
  if (!isOpen) return;
  if (draftId(before) === draftId(next)) show(next);
  else openDraft(next);
}

/** Resolves a conflict: shows the current entity in place of the draft. */
export function takeTheirs(): void {
  const decided = takeConflict();
  if (!decided) return;
  const { draft: mine, theirs } = decided;
  if (theirs) {
    update(mine, theirs);
    replace(mine, draftOf(mine, theirs));
    return;
  }
  const isOpen = isOpenDraft(mine);
  forgetDraft(mine);
  if (isOpen) closePanel();
  restart();
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

/**
 * Ends a save. `sent` is the draft as it was then. Text that was typed since stays a draft: on the entity as it is saved, or of a new
 * entity if its keys are others.
 */
function finish(sent: Draft, entity: Entity, text: string): void {
  const last = lastVersion(sent);
  update(sent, entity);
  showDone(text);
  if (!last || !differs(last, sent)) {
    const isOpen = isOpenDraft(sent);
    forgetDraft(sent);
    if (isOpen) closePanel();
    return;
  }
  if (last.partitionKey !== sent.partitionKey || last.rowKey !== sent.rowKey) return;
  const typed = { ...last, loaded: { ...entity, properties: propertiesOf(sent) } };
  const { draft: rebased, overlap } = rebase(typed, entity);
  // With the old ETag the next save meets the program's change to the same property, and asks.
  const asking = { ...typed, loaded: { ...typed.loaded, etag: sent.loaded?.etag ?? entity.etag } };
  replace(last, overlap.length > 0 ? asking : rebased);
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
