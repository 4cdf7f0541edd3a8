import { type Entity, writeBody } from '../../client/entity.js';
import { readOne } from '../../client/table-client.js';
import { commitTransaction, groupWrites, type TransactionWrite } from '../../client/transaction.js';
import type { Value } from '../../client/value.js';

/** One change that many entities get. */
export interface SharedChange {
  readonly property: string;
  /** The value; undefined to remove the property. */
  readonly value: Value | undefined;
}

/** What became of a change of many entities. */
export interface SharedReport {
  readonly entities: number;
  readonly transactions: number;
  /** The transactions that the service refused, with the reason of each. */
  readonly refused: readonly { readonly partitionKey: string; readonly entities: number; readonly reason: string }[];
}

/**
 * Changes many entities, in one transaction for each partition, or for each 100 of its entities. An entity that was changed by
 * someone else since it was read stays, with those of its transaction.
 */
export async function changeAll(
  table: string,
  entities: readonly Entity[],
  change: SharedChange,
): Promise<SharedReport> {
  const groups = groupWrites(entities);
  const refused: { partitionKey: string; entities: number; reason: string }[] = [];
  let changed = 0;
  for (const group of groups) {
    try {
      const writes = await Promise.all(group.map((entity) => writeOf(table, entity, change)));
      await commitTransaction(table, writes);
      changed += group.length;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      refused.push({ partitionKey: group[0]?.partitionKey ?? '', entities: group.length, reason });
    }
  }
  return { entities: changed, transactions: groups.length - refused.length, refused };
}

/** Returns the write for an entity. A merge cannot remove a property, so the entity is replaced by all of its others. */
async function writeOf(table: string, entity: Entity, { property, value }: SharedChange): Promise<TransactionWrite> {
  const { partitionKey, rowKey, etag } = entity;
  const keys = { partitionKey, rowKey };
  if (value) return { ...keys, method: 'MERGE', body: writeBody(new Map([[property, value]]), keys), etag };
  // A query with $select has not read all of its properties.
  const { properties } = await readOne(table, keys);
  const others = new Map([...properties].filter(([name]) => name !== property));
  return { ...keys, method: 'PUT', body: writeBody(others, keys), etag };
}
