import type { Change } from '../../../src/entity/stored/change.js';
import { type EntityKey, type EntityText, etagOf, type Property } from '../../../src/entity/stored/entity.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import type { QueryPlan } from '../../../src/query/plan/plan.js';
import { isRejection, type TableStore } from '../../../src/store/store.js';

/** The account of the tables in tests. */
export const account = 'account';

/** Returns the key ('p', rowKey), or a key of another partition. */
export function keyAt(rowKey: string, partitionKey = 'p'): EntityKey {
  return { partitionKey, rowKey };
}

/** Returns a property `N` with a number. */
export function numbered(value: number): Property[] {
  return [{ name: 'N', type: 'Edm.Int32', json: String(value), valueBytes: 4 }];
}

/** Returns the number of an entity. */
export function numberOf(text: EntityText | null | undefined): number | undefined {
  return text ? (JSON.parse(text) as { N: number }).N : undefined;
}

/** Returns an insert of an entity. */
export function insert(key: EntityKey, value = 0): Change {
  return { kind: 'insert', key, properties: numbered(value) };
}

/** Returns a replacement of an entity: unconditional, or only if the tag matches. */
export function replace(key: EntityKey, value: number, ifMatch?: string): Change {
  return { kind: 'replace', key, properties: numbered(value), ifMatch };
}

/** Returns a delete of an entity. */
export function remove(key: EntityKey, ifMatch = '*'): Change {
  return { kind: 'delete', key, ifMatch };
}

/** Commits changes that must not be rejected. Returns the new tags; a deleted entity has none. */
export async function commit(
  store: TableStore,
  table: string,
  ...changes: readonly Change[]
): Promise<readonly (string | undefined)[]> {
  const outcome = await store.openTable(account, table).commit(changes);
  if (isRejection(outcome)) throw new Error(`rejected: ${outcome.reason} at ${outcome.at}`);
  return outcome.map((text) => (text === null ? undefined : etagOf(text)));
}

/** Returns all rows of a table in key order, as `PartitionKey/RowKey`. */
export async function rowsOf(
  store: TableStore,
  table: string,
  plan: Partial<QueryPlan> = {},
): Promise<readonly string[]> {
  const page = await store.openTable(account, table).readPage({ ranges: [{}], rowsMax: 100_000, ...plan });
  if (isRejection(page)) throw new Error(`rejected: ${page.reason}`);
  return page.rows.map((text) => `${keyOf(text, 'PartitionKey')}/${keyOf(text, 'RowKey')}`);
}

/** Returns an entity, undefined when it is missing. Errors: when its table is missing. */
export async function readEntity(store: TableStore, table: string, key: EntityKey): Promise<EntityText | undefined> {
  const outcome = await store.openTable(account, table).readEntity(key);
  if (typeof outcome === 'object') throw new Error(`rejected: ${outcome.reason}`);
  return outcome;
}
