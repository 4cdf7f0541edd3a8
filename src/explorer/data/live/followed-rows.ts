import { batch, effect } from '@preact/signals';
import type { ServerEvent, WrittenChange } from '../../../client/calls.js';
import { type Entity, idOf, isAfter } from '../../base/entity.js';
import { isSameValue } from '../../model/draft.js';
import { hasJournal, listen } from '../../model/live.js';
import { showError } from '../../model/notices.js';
import { paced } from '../../model/poll.js';
import { account } from '../../model/session.js';
import { Unreachable } from '../../wire/connection.js';
import { ServiceError } from '../../wire/table-client.js';
import { source } from '../grid/source.js';
import { draft as open, takeEntity } from '../panel/panel-state.js';
import { filter, select } from '../query/query.js';
import { editRows, hasMore, loadedEntities, progress, readRowsAgain } from '../rows.js';
import { table } from '../tables.js';
import { flash, news, noNews, stale } from './news.js';
import { byId, readKeys } from './row-edits.js';

/** Time between two reads of changed rows. Unit: milliseconds. (Our choice: a busy table changes more often than one can read.) */
const readMs = 1000;

/** Follows the rows of the query until the returned function is called. */
export function followRows(): () => void {
  const stops = [
    listen({ changes: takeChanges, events: takeEvents, missed: compareSoon }),
    // Another query begins.
    effect(() => {
      if (progress.value.pages > 0) return;
      stale.clear();
      news.value = noNews;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function isHere(of: { readonly account?: string; readonly table?: string }): boolean {
  const isTable = of.table === undefined || of.table.toLowerCase() === table.value?.toLowerCase();
  return isTable && (of.account === undefined || of.account === account.value?.name);
}

function takeChanges(changes: readonly WrittenChange[]): void {
  const here = progress.value.pages === 0 ? [] : changes.filter(isHere);
  if (here.length === 0) return;
  const [added, gone] = [new Set(news.value.added), new Set(news.value.gone)];
  for (const change of here) {
    const id = idOf(change);
    const row = rowOf(id);
    const isRow = byId.value.has(id);
    if (change.kind === 'delete') {
      added.delete(id);
      stale.delete(id);
      if (isRow) gone.add(id);
      continue;
    }
    gone.delete(id);
    if (row && row.etag !== change.etag) stale.add(id);
    if (!isRow && isMissing(change)) added.add(id);
  }
  // All rows are drawn again with the news.
  const isOther = (set: ReadonlySet<string>, before: ReadonlySet<string>) =>
    set.size !== before.size || [...set].some((id) => !before.has(id));
  if (isOther(added, news.value.added) || isOther(gone, news.value.gone)) news.value = { ...news.value, added, gone };
  if (stale.size > 0) readSoon();
}

/** Returns a row, or the entity that is open. */
function rowOf(id: string): Entity | undefined {
  const base = open.value?.base;
  return byId.value.get(id) ?? (base && idOf(base) === id ? base : undefined);
}

/** Returns whether the rows should have a written entity that they do not have. */
function isMissing(change: WrittenChange): boolean {
  const last = loadedEntities.value.at(-1);
  if (change.isNew === false || (hasMore.value && (!last || isAfter(change, last)))) return false;
  // A write that did not look may have changed an entity that the filter leaves out, or whose page has left the memory.
  return change.isNew === true || (filter.value === '' && byId.value.size === progress.value.returned);
}

const kinds: ReadonlySet<ServerEvent['kind']> = new Set([
  'table-created',
  'table-deleted',
  'reset',
  'restored',
  'undone',
]);

function takeEvents(events: readonly ServerEvent[]): void {
  // With a journal, the changes tell the rest.
  const isOne = ({ kind }: ServerEvent) => kinds.has(kind) || (!hasJournal.value && kind !== 'snapshot-created');
  if (events.some((event) => isHere(event) && isOne(event))) compareSoon();
}

const readSoon = paced(readStale, readMs);

/** Reads the stale rows that can be seen, and the entity that is open. The others wait until they can be seen. */
async function readStale(): Promise<void> {
  const seen = [...document.querySelectorAll('.table-view .rows [aria-rowindex]')];
  const ids = seen.map((row) => source.value.idAt(Number(row.getAttribute('aria-rowindex')) - 2));
  const rows = [...ids, open.value?.base && idOf(open.value.base)].flatMap((id) => {
    const row = id !== undefined && stale.delete(id) ? rowOf(id) : undefined;
    return row ? [row] : [];
  });
  try {
    if (rows.length > 0) replaceRows(await readKeys(rows));
  } catch {
    // The mark of the connection tells why. They are read again.
    for (const row of rows) stale.add(idOf(row));
  }
  if (stale.size > 0) readSoon();
}

/** Puts entities in the place of their rows, marks what has changed, and puts drafts onto them. */
function replaceRows(entities: readonly Entity[]): void {
  const fresh = new Map(entities.map((entity) => [idOf(entity), entity]));
  const changed = new Map<string, ReadonlySet<string>>();
  for (const [id, entity] of fresh) {
    const before = byId.value.get(id)?.properties;
    const names = [...new Set([...(before?.keys() ?? []), ...entity.properties.keys()])];
    const isChanged = (name: string) => !isSameValue(before?.get(name), entity.properties.get(name));
    changed.set(id, new Set(names.filter(isChanged)));
  }
  batch(() => {
    editRows((rows) =>
      rows.some((row) => fresh.has(idOf(row))) ? rows.map((row) => fresh.get(idOf(row)) ?? row) : rows,
    );
    flash(changed);
    // A draft has all properties.
    const place = { account: account.value?.name ?? '', table: table.value ?? '' };
    if (!select.value) for (const entity of entities) takeEntity(place, entity);
  });
}

const compareSoon = paced(compare, readMs);

/** Reads all rows again, and compares them: changed values are replaced, other differences are news. */
async function compare(): Promise<void> {
  try {
    const read = await readRowsAgain();
    if (!read) return;
    const fresh = new Map(read.pages.flatMap(({ entities = [] }) => entities).map((one) => [idOf(one), one]));
    const [rows, lastRow, lastFresh] = [byId.value, loadedEntities.value.at(-1), [...fresh.values()].at(-1)];
    const isWhole = rows.size === progress.value.returned;
    const isAdded = (one: Entity) =>
      isWhole && !rows.has(idOf(one)) && !(hasMore.value && lastRow && isAfter(one, lastRow));
    const isGone = (one: Entity) =>
      !fresh.has(idOf(one)) && !(read.next !== undefined && lastFresh && isAfter(one, lastFresh));
    const idsOf = (all: Iterable<Entity>, isOne: (one: Entity) => boolean) => new Set([...all].filter(isOne).map(idOf));
    news.value = { added: idsOf(fresh.values(), isAdded), gone: idsOf(rows.values(), isGone), isTableGone: false };
    replaceRows([...fresh.values()].filter((one) => rows.has(idOf(one)) && rows.get(idOf(one))?.etag !== one.etag));
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) news.value = { ...noNews, isTableGone: true };
    else if (!(error instanceof Unreachable)) showError(error);
  }
}
