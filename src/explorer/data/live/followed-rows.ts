import { batch, effect } from '@preact/signals';
import type { ServerEvent, WrittenChange } from '../../../client/calls.js';
import { type Entity, idOf, isAfter } from '../../base/entity.js';
import { listen } from '../../model/live.js';
import { showError } from '../../model/notices.js';
import { paced } from '../../model/poll.js';
import { service } from '../../model/service.js';
import { account } from '../../model/session.js';
import { Unreachable } from '../../wire/connection.js';
import { ServiceError } from '../../wire/table-client.js';
import { draft as open, takeEntity } from '../panel/panel-state.js';
import { select } from '../query/query.js';
import { hasMore, loadedEntities, progress, readRowsAgain } from '../rows.js';
import { table } from '../tables.js';
import { flash, news, noNews } from './news.js';

/** Least time between two comparisons. Unit: milliseconds. (Our choice: a busy table changes more often than one can read.) */
const compareMs = 1000;

/** Follows the rows of the query until the returned function is called. */
export function followRows(): () => void {
  const look = (all: readonly (ServerEvent | WrittenChange)[]) => {
    if (all.some(isHere)) compareSoon();
  };
  const stops = [
    listen({ changes: look, events: look, missed: compareSoon }),
    // Another query begins.
    effect(() => {
      if (progress.value.requestIds.length === 0) news.value = noNews;
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

const compareSoon = paced(compare, compareMs);

/** Reads all rows again, and compares them: changed values are replaced, other differences are news. */
async function compare(): Promise<void> {
  try {
    const apart = await readApart();
    const read = await readRowsAgain();
    if (!read) return;
    const rows = loadedEntities.value;
    const known = new Set(rows.map(idOf));
    const fresh = new Map(read.entities.map((one) => [idOf(one), one]));
    const [lastRow, lastFresh] = [rows.at(-1), read.entities.at(-1)];
    const isAdded = (one: Entity) => !known.has(idOf(one)) && !(hasMore.value && lastRow && isAfter(one, lastRow));
    const isGone = (one: Entity) => !fresh.has(idOf(one)) && !(read.next && lastFresh && isAfter(one, lastFresh));
    const changed = rows.flatMap((row) => {
      const now = fresh.get(idOf(row));
      return now && now.etag !== row.etag ? [now] : [];
    });
    const place = { account: account.value?.name ?? '', table: table.value ?? '' };
    batch(() => {
      const gone = new Set(rows.filter(isGone).map(idOf));
      news.value = { added: read.entities.filter(isAdded).length, gone, isTableGone: false };
      if (changed.length > 0) loadedEntities.value = rows.map((row) => fresh.get(idOf(row)) ?? row);
      flash(rows, changed);
      // A draft has all properties.
      for (const entity of [...(select.value ? [] : changed), ...apart]) takeEntity(place, entity);
    });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) news.value = { ...noNews, isTableGone: true };
    else if (!(error instanceof Unreachable)) showError(error);
  }
}

/** Reads the entity that is open, if the rows do not have it, or not all of its properties. */
async function readApart(): Promise<readonly Entity[]> {
  const base = open.value?.base;
  if (!base || table.value === undefined) return [];
  if (!select.value && loadedEntities.value.some((one) => idOf(one) === idOf(base))) return [];
  // The save tells of a deletion.
  return service.readOne(table.value, base).then(
    (entity) => [entity],
    () => [],
  );
}
