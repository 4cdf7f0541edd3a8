import { signal } from '@preact/signals';
import { type Entity, idOf } from '../../base/entity.js';
import {
  changedProperties,
  type Draft,
  differs,
  emptyDraft,
  isMerge,
  isValid,
  keysOf,
  type Problem,
  propertiesOf,
  rebase,
} from '../../model/draft.js';
import { draftId, forgetDraft, keepDraft } from '../../model/drafts.js';
import { mayEdit } from '../../model/identities.js';
import { announce, showDone, showError } from '../../model/notices.js';
import { serviceOf } from '../../model/service.js';
import { account } from '../../model/session.js';
import { countOf } from '../../parts/list.js';
import { ServiceError } from '../../wire/table-client.js';
import { showDeleted, showInserted } from '../live/row-edits.js';
import { loadedRows, replaceRow } from '../rows.js';
import { table } from '../tables.js';
import { closePanel, draft, isOpenDraft, lastVersion, openDraft } from './panel-state.js';

/** Whether a save is in progress. */
export const isSaving = signal(false);

/** Saves the open draft. */
export async function save(): Promise<void> {
  if (draft.value) await saveAll([draft.value]);
}

/**
 * Saves drafts: each with the ETag that its entity was loaded with, or as a new entity. Invalid ones are not sent. A draft that the service rejects stays, with its problem. A server that does not answer ends the run.
 */
export async function saveAll(drafts: readonly Draft[]): Promise<void> {
  if (isSaving.value || !mayEdit.value) return;
  isSaving.value = true;
  const valid = drafts.filter(isValid);
  const wrong = drafts.length - valid.length;
  if (wrong > 0) showError(`${countOf(wrong, 'draft is', 'drafts are')} not saved: a value or a key is wrong.`);
  const saved: Draft[] = [];
  try {
    for (const one of valid) if (await saveOne(one)) saved.push(one);
  } catch (error) {
    showError(error);
  }
  const [first] = saved;
  if (first) showDone(saved.length > 1 ? `Saved ${saved.length} entities.` : first.loaded ? 'Saved.' : 'Inserted.');
  const inserted = saved.filter((one) => !one.loaded && isOfTable(one));
  // Until the rows are there, the grid of a table without entities stays, with its focus.
  if (inserted.length > 0) await showInserted(inserted.map(keysOf)).catch(showError);
  isSaving.value = false;
}

/** Saves a draft. Returns whether the service has accepted it. Errors: Unreachable. */
async function saveOne(sent: Draft): Promise<boolean> {
  try {
    const problem = await (sent.loaded ? change(sent, sent.loaded) : insert(sent));
    if (problem) keepProblem(sent, problem);
    return problem === undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    keepProblem(sent, { text: error.message, code: error.code, requestId: error.requestId });
    return false;
  }
}

function keepProblem(sent: Draft, problem: Problem): void {
  announce(problem.text);
  if (!isOpenDraft(sent)) showError(`${sent.partitionKey} / ${sent.rowKey}: ${problem.text}`);
  const last = lastVersion(sent);
  if (last) replace(last, { ...last, problem });
}

/** Resolves a conflict: writes the changes of the draft over the entity as it is now. */
export async function keepMine(mine: Draft): Promise<void> {
  if (mine.problem?.theirs) await replaceAndSave(mine, rebase(mine, mine.problem.theirs).draft);
}

/** Resolves a conflict with a deletion: inserts the draft as a new entity. */
export async function insertAgain(mine: Draft): Promise<void> {
  await replaceAndSave(mine, { ...emptyDraft(mine, ''), ...keysOf(mine), fields: mine.fields });
}

async function replaceAndSave(before: Draft, next: Draft): Promise<void> {
  replace(before, next);
  await saveAll([next]);
}

/** Resolves a conflict: the draft has the values of the current entity where both have changed it. Its other changes stay. */
export function takeTheirs(mine: Draft): void {
  const theirs = mine.problem?.theirs;
  if (!theirs) return;
  update(mine, theirs);
  replace(mine, rebase(mine, theirs, 'theirs').draft);
}

/** Resolves a conflict with a deletion: forgets the draft. */
export function leaveDeleted(mine: Draft): void {
  const isOpen = isOpenDraft(mine);
  forgetDraft(mine);
  if (isOpen) closePanel();
  if (isOfTable(mine)) showDeleted([keysOf(mine)]);
}

/** Puts a draft in the place of another one. The panel shows it, if it showed the other. */
function replace(before: Draft, next: Draft): void {
  const isOpen = isOpenDraft(before);
  forgetDraft(before);
  keepDraft(next);
  if (!isOpen) return;
  if (draftId(before) === draftId(next)) draft.value = next;
  else openDraft(next);
}

/**
 * Writes the changes to the loaded entity. If someone has changed it meanwhile, but no property that the draft changes, they are written
 * onto theirs. Returns a conflict.
 */
async function change(current: Draft, loaded: Entity, sent = current): Promise<Problem | undefined> {
  const keys = keysOf(current);
  const service = serviceOf(current.account);
  if (current.isPartial && !isMerge(current)) {
    // Only the whole entity can be replaced.
    const { draft: whole, overlap } = rebase(current, await service.readOne(current.table, keys));
    if (overlap.length === 0 && whole.loaded) return change(whole, whole.loaded, sent);
  }
  const wish = isMerge(current)
    ? ({ how: 'merge', properties: changedProperties(current) } as const)
    : ({ how: 'replace', properties: propertiesOf(current) } as const);
  try {
    await service.changeEntity(current.table, keys, { ...wish, etag: loaded.etag });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const theirs = await service.readOne(current.table, keys).catch((gone: unknown) => {
      if (gone instanceof ServiceError && gone.status === 404) return undefined;
      throw gone;
    });
    if (!theirs) return { text: 'Someone else has deleted the entity.', isGone: true };
    const rebased = rebase(current, theirs);
    if (rebased.overlap.length === 0) return change(rebased.draft, theirs, sent);
    return { text: `Someone else has changed ${rebased.overlap.join(', ')}, too.`, theirs };
  }
  finish(sent, await service.readOne(current.table, keys));
  return undefined;
}

async function insert(current: Draft): Promise<undefined> {
  const service = serviceOf(current.account);
  await service.insertEntity(current.table, keysOf(current), propertiesOf(current));
  finish(current, await service.readOne(current.table, keysOf(current)));
}

/**
 * Ends a save. `sent` is the draft as it was then. Text that was typed since stays a draft: on the entity as it is saved, or of a new
 * entity if its keys are others.
 */
function finish(sent: Draft, entity: Entity): void {
  const last = lastVersion(sent);
  update(sent, entity);
  if (!last || !(differs(last, sent) || last.json?.fault)) {
    const isOpen = isOpenDraft(sent);
    forgetDraft(sent);
    if (isOpen) closePanel();
    return;
  }
  if (last.partitionKey !== sent.partitionKey || last.rowKey !== sent.rowKey) return;
  const typed = { ...last, loaded: { ...entity, properties: propertiesOf(sent) } };
  const { draft: rebased, overlap } = rebase(typed, entity);
  // With the old ETag the next save meets the change of the program, and asks if it is to the same property.
  const asking = { ...typed, problem: undefined, loaded: { ...typed.loaded, etag: sent.loaded?.etag ?? entity.etag } };
  replace(last, overlap.length > 0 || last.json?.fault ? asking : rebased);
}

/** Returns whether an error means that someone else has changed or removed the entity. */
function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 412 || error.code === 'ResourceNotFound');
}

/** Whether a draft is of the table that is shown. */
function isOfTable(one: Draft): boolean {
  return one.table === table.value && one.account === account.value?.name;
}

/** Shows an entity as it is now in the grid, if its table is shown. */
function update(place: Draft, entity: Entity): void {
  if (!isOfTable(place)) return;
  for (const [index, row] of loadedRows()) {
    if (idOf(row) !== idOf(entity)) continue;
    replaceRow(index, entity);
    return;
  }
}
