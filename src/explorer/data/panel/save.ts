import { batch, signal } from '@preact/signals';
import { type Entity, idOf } from '../../base/entity.js';
import {
  copyOf,
  type Draft,
  isChanged,
  isValid,
  overlapOf,
  type Problem,
  propertiesOf,
  rebase,
  rowOf,
  withAdded,
  withProperties,
} from '../../model/draft.js';
import { forgetDraft, keepDraft } from '../../model/drafts.js';
import { mayEdit } from '../../model/identities.js';
import { announce, showDone, showError } from '../../model/notices.js';
import { serviceOf } from '../../model/service.js';
import { account } from '../../model/session.js';
import { countOf } from '../../parts/list.js';
import { ServiceError } from '../../wire/table-client.js';
import { takeNews } from '../live/news.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';
import { closePanel, draft, isOpenDraft, lastVersion, openDraft, takeEntity } from './panel-state.js';

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
  const valid = drafts.filter(isValid).map(withAdded);
  valid.forEach(keepDraft);
  const wrong = drafts.length - valid.length;
  if (wrong > 0) showError(`${countOf(wrong, 'draft is', 'drafts are')} not saved: a value or a key is wrong.`);
  const saved: Draft[] = [];
  try {
    for (const one of valid) if (await saveOne(one)) saved.push(one);
  } catch (error) {
    showError(error);
  }
  const [first] = saved;
  if (first) showDone(saved.length > 1 ? `Saved ${saved.length} entities.` : first.base ? 'Saved.' : 'Inserted.');
  const inserted = saved.filter((one) => !one.base && isOfTable(one));
  // Until the rows are there, the grid of a table without entities stays, with its focus.
  if (inserted.length > 0) await takeNews();
  isSaving.value = false;
}

/** Saves a draft. Returns whether the service has accepted it. Errors: Unreachable. */
async function saveOne(sent: Draft): Promise<boolean> {
  const service = serviceOf(sent.account);
  let problem: Problem | undefined;
  try {
    // A query may have left out a part of the base, which a merge does not need.
    if (sent.base) problem = await change(sent, removes(sent) ? undefined : sent.base);
    else await service.insertEntity(sent.table, sent, propertiesOf(sent));
    if (!problem) finish(sent, await service.readOne(sent.table, sent));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    problem = { text: error.message, code: error.code, requestId: error.requestId };
  }
  if (!problem) return true;
  announce(problem.text);
  if (!isOpenDraft(sent)) showError(`${sent.partitionKey} / ${sent.rowKey}: ${problem.text}`);
  const last = lastVersion(sent);
  if (last) keepDraft({ ...last, problem });
  return false;
}

/** Writes the changes onto an entity, or onto the newest version if it has changed elsewhere. Returns a conflict. */
async function change(sent: Draft, onto?: Entity): Promise<Problem | undefined> {
  const service = serviceOf(sent.account);
  try {
    const now = onto ?? (await service.readOne(sent.table, sent));
    const overlap = overlapOf(sent, now);
    if (overlap.length > 0) return { text: `Someone else has changed ${overlap.join(', ')}, too.`, theirs: now };
    // Not PATCH, which Cosmos DB rejects.
    const [method, base] = removes(sent) ? (['PUT', now] as const) : (['MERGE', undefined] as const);
    const properties = propertiesOf({ ...sent, base });
    await service.changeEntity(sent.table, sent, { method, properties, etag: now.etag });
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'ResourceNotFound') return { text: 'Someone else has deleted the entity.', isGone: true };
    if (error.status !== 412) throw error;
    return change(sent);
  }
}

/** Whether a save must replace the whole entity, because a merge removes no property. */
function removes({ changes }: Draft): boolean {
  return [...changes.values()].includes(null);
}

/**
 * Ends a save. `sent` is the draft as it was then. Text that was typed since stays a draft: on the entity as it is saved, or of a new
 * entity if its keys are others.
 */
function finish(sent: Draft, entity: Entity): void {
  showRow(sent, entity);
  const [last, isOpen] = [lastVersion(sent), isOpenDraft(sent)];
  if (last && idOf(last) !== idOf(sent)) return;
  // With the old ETag the next save meets the change of a program, and asks if it is to the same property.
  const base = { ...entity, properties: propertiesOf(sent), etag: sent.base?.etag ?? entity.etag };
  const rest = last && {
    ...withProperties({ ...last, base }, propertiesOf(last)),
    row: rowOf(entity),
    problem: undefined,
  };
  batch(() => {
    forgetDraft(sent);
    if (rest && isChanged(rest)) {
      keepDraft(rest);
      takeEntity(rest, entity);
      if (isOpen && rest.row !== sent.row) openDraft(rest);
    } else if (isOpen) closePanel();
  });
}

/** Resolves a conflict: writes the changes of the draft over the entity as it is now, or inserts it again. */
export async function keepMine(mine: Draft): Promise<void> {
  const { theirs } = mine.problem ?? {};
  const next = theirs ? rebase(mine, theirs) : copyOf(mine, mine, propertiesOf(mine));
  const isOpen = isOpenDraft(mine);
  batch(() => {
    forgetDraft(mine);
    if (isOpen) openDraft(next);
    else keepDraft(next);
    if (theirs) takeEntity(next, theirs);
  });
  await saveAll([next]);
}

/** Resolves a conflict: the draft has the values of the current entity where both have changed it. Its other changes stay. */
export function takeTheirs(mine: Draft, theirs: Entity): void {
  const overlap = overlapOf(mine, theirs);
  showRow(mine, theirs);
  batch(() => {
    const changes = new Map([...mine.changes].filter(([name]) => !overlap.includes(name)));
    keepDraft({ ...mine, changes, problem: undefined });
    takeEntity(mine, theirs);
  });
}

/** Whether a draft is of the table that is shown. */
function isOfTable(one: Draft): boolean {
  return one.table === table.value && one.account === account.value?.name;
}

/** Shows an entity as it is now in the grid, if its table is shown. */
function showRow(place: Draft, entity: Entity): void {
  if (!isOfTable(place)) return;
  loadedEntities.value = loadedEntities.value.map((row) => (idOf(row) === idOf(entity) ? entity : row));
}
