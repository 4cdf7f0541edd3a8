import { signal } from '@preact/signals';
import { type Entity, idOf } from '../../client/entity.js';
import { ServiceError } from '../../client/table-client.js';
import { showDone, showError } from '../../model/notices.js';
import { service } from '../../model/service.js';
import { restart } from '../query/query.js';
import { loadedRows, replaceRow } from '../rows.js';
import { loadTables, table } from '../tables.js';
import { type Draft, draftOf, keysOf, propertiesOf } from './draft.js';
import { closeDrawer, draft, rejectedKeys, show } from './drawer-state.js';

/** A save that conflicts with the change of someone else. */
export interface Conflict {
  readonly draft: Draft;
  /** The current entity; undefined if someone has deleted it. */
  readonly theirs: Entity | undefined;
}

/** The conflict that the user has to decide. */
export const conflict = signal<Conflict | undefined>(undefined);

/** Whether a save is in progress. */
export const isSaving = signal(false);

/** Saves the draft: with the ETag that it was loaded with, or as a new entity. */
export async function save(): Promise<void> {
  const [name, current] = [table.value, draft.value];
  if (name === undefined || !current || isSaving.value) return;
  isSaving.value = true;
  try {
    await (current.loaded ? change(name, current, current.loaded) : insert(name, current));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'EntityAlreadyExists') rejectedKeys.value = error.message;
    else if (current.loaded && isConflict(error)) await openConflict(name, current);
    else showError(error);
  } finally {
    isSaving.value = false;
  }
}

/** Resolves a conflict: overwrites the current entity with the draft. */
export async function keepMine(): Promise<void> {
  const decided = conflict.value;
  const name = table.value;
  conflict.value = undefined;
  if (!decided || name === undefined) return;
  draft.value = { ...decided.draft, loaded: decided.theirs };
  await save();
}

/** Resolves a conflict: shows the current entity in place of the draft. */
export function takeTheirs(): void {
  const decided = conflict.value;
  conflict.value = undefined;
  if (!decided) return;
  if (decided.theirs) {
    update(decided.theirs);
    show(draftOf(decided.theirs));
  } else {
    closeDrawer();
    restart();
  }
}

async function change(name: string, current: Draft, loaded: Entity): Promise<void> {
  const [keys, properties] = [keysOf(current), propertiesOf(current)];
  // A merge cannot remove a property.
  const how = [...loaded.properties.keys()].every((one) => properties.has(one)) ? 'merge' : 'replace';
  await service.changeEntity(name, keys, { how, properties, etag: loaded.etag });
  update(await service.readOne(name, keys));
  closeDrawer();
  showDone('Saved.');
}

async function insert(name: string, current: Draft): Promise<void> {
  await service.insertEntity(name, keysOf(current), propertiesOf(current));
  closeDrawer();
  showDone('Inserted.');
  restart();
  void loadTables();
}

async function openConflict(name: string, current: Draft): Promise<void> {
  const theirs = await service.readOne(name, keysOf(current)).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  conflict.value = { draft: current, theirs };
}

/** Returns whether an error means that someone else has changed or removed the entity. */
function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 412 || error.status === 404);
}

/** Updates an entity in the grid. */
function update(entity: Entity): void {
  for (const [index, row] of loadedRows()) {
    if (idOf(row) !== idOf(entity)) continue;
    replaceRow(index, entity);
    return;
  }
}
