import type { EntityKey } from '../entity/entity.js';
import { type EntityLinks, entityPath } from '../entity/write-row.js';

/** Returns the URL of an entity. */
export function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the URL of a table. */
export function tableUrl(name: string, { base }: EntityLinks): string {
  return `${base}/${tablePath(name)}`;
}

/** Returns the path of a table relative to the base. Its name needs no encoding. */
export function tablePath(name: string): string {
  return `Tables('${name}')`;
}
