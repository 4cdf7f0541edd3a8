import type { Change } from '../../src/entity/change.js';
import { type EntityKey, type EntityText, etagOf, type Property } from '../../src/entity/entity.js';
import { keyOf } from '../../src/entity/write-row.js';
import type { QueryPlan } from '../../src/query/plan.js';
import { isRefusal, type TableStore } from '../../src/store/store.js';

/** The account that tests keep their tables in. */
export const account = 'account';

/** The key ('p', rowKey), or of another partition. */
export function keyAt(rowKey: string, partitionKey = 'p'): EntityKey {
  return { partitionKey, rowKey };
}

/** A property `N` that holds a number. */
export function numbered(value: number): Property[] {
  return [{ name: 'N', type: 'Edm.Int32', json: String(value), valueBytes: 4 }];
}

/** The number of an entity. */
export function numberOf(text: EntityText | null | undefined): number | undefined {
  return text ? (JSON.parse(text) as { N: number }).N : undefined;
}

/** Stores an entity whose key is free. */
export function insert(key: EntityKey, value = 0): Change {
  return { kind: 'insert', key, properties: numbered(value) };
}

/** Stores an entity, whatever was there, or only where the tag is this one. */
export function replace(key: EntityKey, value: number, ifMatch?: string): Change {
  return { kind: 'replace', key, properties: numbered(value), ifMatch };
}

/** Removes an entity. */
export function remove(key: EntityKey, ifMatch = '*'): Change {
  return { kind: 'delete', key, ifMatch };
}

/** Makes changes that must be made, and gives the tags afterwards; none for a deleted entity. */
export async function commit(
  store: TableStore,
  table: string,
  ...changes: readonly Change[]
): Promise<readonly (string | undefined)[]> {
  const outcome = await store.openTable(account, table).commit(changes);
  if (isRefusal(outcome)) throw new Error(`refused: ${outcome.reason} at ${outcome.at}`);
  return outcome.map((text) => (text === null ? undefined : etagOf(text)));
}

/** All rows of a table, in their order, as `PartitionKey/RowKey`. */
export async function rowsOf(
  store: TableStore,
  table: string,
  plan: Partial<QueryPlan> = {},
): Promise<readonly string[]> {
  const page = await store.openTable(account, table).readPage({ ranges: [{}], rowsMax: 100_000, ...plan });
  if (isRefusal(page)) throw new Error(`refused: ${page.reason}`);
  return page.rows.map((text) => `${keyOf(text, 'PartitionKey')}/${keyOf(text, 'RowKey')}`);
}

/** Returns an entity, undefined when it is missing. Errors: when its table is missing. */
export async function readEntity(store: TableStore, table: string, key: EntityKey): Promise<EntityText | undefined> {
  const outcome = await store.openTable(account, table).readEntity(key);
  if (typeof outcome === 'object') throw new Error(`refused: ${outcome.reason}`);
  return outcome;
}
