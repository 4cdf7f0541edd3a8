import type { EntityText } from '../entity/entity.js';
import { type EntityLinks, entityPath, keyOf } from '../entity/write-row.js';

/** Returns the URL of an entity. */
export function entityUrl(text: EntityText, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'))}`;
}

/** Returns the URL of a table. */
export function tableUrl(name: string, { base }: EntityLinks): string {
  return `${base}/${tablePath(name)}`;
}

/** Returns the path of a table relative to the base. Its name needs no encoding. */
export function tablePath(name: string): string {
  return `Tables('${name}')`;
}
