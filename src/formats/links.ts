import type { EntityKey } from '../entity/stored/entity.js';
import { type EntityLinks, encodeKey, entityPath } from '../entity/stored/write-row.js';

/** Returns the URL of an entity. */
export function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the URL of a table. */
export function tableUrl(name: string, { base }: EntityLinks): string {
  return `${base}/${tablePath(name)}`;
}

/** Returns the path of a table relative to the base. The `$` of the tables of analytics is encoded. Source: atom 3.1. */
export function tablePath(name: string): string {
  return `Tables('${encodeKey(name)}')`;
}
