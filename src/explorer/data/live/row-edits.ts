import { computed } from '@preact/signals';
import { type Entity, type EntityKeys, filterOfKeys, idOf, isAfter } from '../../base/entity.js';
import { service } from '../../model/service.js';
import { account } from '../../model/session.js';
import { filter, select } from '../query/query.js';
import { editRows, hasMore, loadedEntities } from '../rows.js';
import { countAgain, table } from '../tables.js';
import { flash, forgetNews, stale, takeNews } from './news.js';

/** The rows in memory, by their keys. */
export const byId = computed(() => new Map(loadedEntities.value.map((entity) => [idOf(entity), entity])));

/** Longest filter of keys. Unit: UTF-16 code units. (Our choice: the rows that can be seen fit, and so does the address.) */
const filterUnitsMax = 6000;

/** Reads entities by their keys, with one request. Those that do not fit into it are stale again. */
export async function readKeys(keys: readonly EntityKeys[], also = ''): Promise<readonly Entity[]> {
  const parts: string[] = [];
  let units = 0;
  for (const key of keys) {
    const part = filterOfKeys(key);
    units += encodeURIComponent(part).length;
    if (parts.length > 0 && units > filterUnitsMax) stale.add(idOf(key));
    else parts.push(part);
  }
  const [at, any] = [place(), parts.join(' or ')];
  const text = also === '' ? any : `(${also}) and (${any})`;
  const { entities } = await service.readPage(table.value ?? '', { filter: text, select: select.value });
  return at === place() ? entities : [];
}

function place(): string {
  return JSON.stringify([account.value?.name, table.value, filter.value, select.value]);
}

/** Most entities that are put among the rows one by one. (Our choice.) */
const insertedMax = 20;

/** Puts entities that the page has inserted among the rows, if the query finds them. Many of them, or the first ones, are read with all rows. */
export async function showInserted(keys: readonly EntityKeys[]): Promise<void> {
  countAgain(table.value);
  if (keys.length > insertedMax || byId.value.size === 0) return takeNews();
  const found = await readKeys(keys, filter.value).catch(() => []);
  for (const entity of found) insertRow(entity);
}

function insertRow(entity: Entity): void {
  const last = loadedEntities.value.at(-1);
  if (byId.value.has(idOf(entity)) || (hasMore.value && last && isAfter(entity, last))) return;
  let isIn = false;
  editRows((rows, isLast) => {
    const at = rows.findIndex((row) => isAfter(row, entity));
    if (isIn || (at < 0 && !isLast)) return rows;
    isIn = true;
    return rows.toSpliced(at < 0 ? rows.length : at, 0, entity);
  });
  forgetNews([idOf(entity)]);
  flash(new Map([[idOf(entity), new Set(['PartitionKey', 'RowKey', ...entity.properties.keys()])]]));
}

/** Takes out the rows of entities that the page has deleted. */
export function showDeleted(all: readonly EntityKeys[]): void {
  const ids = new Set(all.map(idOf));
  const isThere = (row: Entity) => !ids.has(idOf(row));
  editRows((rows) => (rows.every(isThere) ? rows : rows.filter(isThere)));
  forgetNews(ids);
  countAgain(table.value);
}
