import type { EntityText } from '../entity/entity.js';
import { type EntityLinks, entityPath, keyOf } from '../entity/write-row.js';

/** Returns the URL of an entity. */
export function entityUrl(text: EntityText, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'))}`;
}

/** Returns the URL of a table. Its name needs no encoding. */
export function tableUrl(name: string, { base }: EntityLinks): string {
  return `${base}/Tables('${name}')`;
}
