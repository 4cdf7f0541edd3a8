import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityText } from '../entity/stored/entity.js';
import { readProperties, readValues, withoutKeyPlaces } from '../entity/stored/read-property.js';
import type { Filter } from '../query/filter/filter.js';
import { startRangesAt } from '../query/plan/key-ranges.js';
import { planFilter } from '../query/plan/plan-query.js';
import { isRejection, type TableStore } from '../store/store.js';
import type { DescribedTable, ReadEntities } from './contract.js';
import { StateFault } from './state-fault.js';

/** A table of an account. */
export interface TablePlace {
  readonly account: string;
  readonly table: string;
}

/** Most entities that the description of a table reads. */
export const describedMax = 1000;

/** Entities per page when counting. */
const countedRows = 1000;

/** Longest example. Unit: UTF-16 code units. (Our choice: a few examples fit on a screen.) */
const exampleUnitsMax = 80;

/** Reads the first entities of a table, in key order, that a filter finds. Errors: StateFault without the table. */
export async function readEntities(
  store: Pick<TableStore, 'openTable'>,
  place: TablePlace,
  {
    filter,
    select,
    limit,
  }: { readonly filter: Filter | undefined; readonly select?: readonly string[]; readonly limit: number },
): Promise<ReadEntities> {
  const entities: Readonly<Record<string, unknown>>[] = [];
  for await (const { rows, isLast } of readPages(store, place, filter, () => limit - entities.length)) {
    for (const text of rows) entities.push(selected(shownEntity(withoutKeyPlaces(text)), select));
    if (entities.length >= limit) return { entities, more: !isLast };
  }
  return { entities, more: false };
}

/** Counts the entities of a table that a filter finds, by reading them. Errors: StateFault without the table. */
export async function countMatches(
  store: Pick<TableStore, 'openTable'>,
  place: TablePlace,
  filter: Filter | undefined,
): Promise<number> {
  let count = 0;
  for await (const { rows } of readPages(store, place, filter, () => countedRows)) count += rows.length;
  return count;
}

/** Describes the properties of a table from its first entities. Errors: StateFault without the table. */
export async function describeTable(store: Pick<TableStore, 'openTable'>, place: TablePlace): Promise<DescribedTable> {
  const partitions = new Set<string>();
  const properties = new Map<string, { types: Set<string>; entities: number; example: string }>();
  let entities = 0;
  let more = false;
  for await (const { rows, isLast } of readPages(store, place, undefined, () => describedMax - entities)) {
    for (const text of rows) {
      for (const [name, { type, json }] of readValues(withoutKeyPlaces(text))) {
        if (name === 'PartitionKey') partitions.add(json);
        if (name === 'Timestamp') continue;
        const known = properties.get(name) ?? { types: new Set(), entities: 0, example: shortened(json) };
        known.types.add(type);
        known.entities++;
        properties.set(name, known);
      }
    }
    entities += rows.length;
    more = !isLast;
    if (entities >= describedMax) break;
  }
  return {
    ...place,
    entities,
    partitions: partitions.size,
    more,
    properties: [...properties].map(([name, known]) => ({ name, ...known, types: [...known.types].sort() })),
  };
}

/** Yields the rows that a filter finds, page by page. `rowsMax` is asked before each page. Errors: StateFault without the table. */
async function* readPages(
  store: Pick<TableStore, 'openTable'>,
  { account, table }: TablePlace,
  filter: Filter | undefined,
  rowsMax: () => number,
): AsyncGenerator<{ readonly rows: readonly EntityText[]; readonly isLast: boolean }> {
  const handle = store.openTable(account, table);
  const { ranges: planned, exact } = planFilter(filter);
  for (let ranges = planned; ; ) {
    const rest = filter && !exact && { filter };
    const page = await handle.readPage({ ranges, ...rest, rowsMax: rowsMax(), order: 'key' });
    if (isRejection(page)) throw new StateFault('missing', `The account ${account} has no table ${table}.`);
    yield { rows: page.rows, isLast: page.next === undefined };
    if (!page.next) return;
    ranges = startRangesAt(ranges, page.next);
    // Let requests in: nothing else here yields to the event loop in memory.
    await nextTurn();
  }
}

/** Returns an entity as in a response with minimal metadata. A Double has its type: as a number, 1.0 would look like the Int32 1. */
export function shownEntity(text: EntityText): Readonly<Record<string, unknown>> {
  const doubles = readProperties(text).filter(({ type }) => type === 'Edm.Double');
  return {
    ...JSON.parse(text),
    ...Object.fromEntries(doubles.map(({ name }) => [`${name}@odata.type`, 'Edm.Double'])),
  };
}

/** Keeps the selected properties with their types. As in the service, a property that the entity does not have is null. */
function selected(
  entity: Readonly<Record<string, unknown>>,
  select: readonly string[] | undefined,
): Readonly<Record<string, unknown>> {
  if (!select) return entity;
  const values = new Map(Object.entries(entity));
  return Object.fromEntries(
    select.flatMap((name) => {
      const type = values.get(`${name}@odata.type`);
      return [...(type === undefined ? [] : [[`${name}@odata.type`, type]]), [name, values.get(name) ?? null]];
    }),
  );
}

function shortened(text: string): string {
  return text.length <= exampleUnitsMax ? text : `${text.slice(0, exampleUnitsMax)}…`;
}
