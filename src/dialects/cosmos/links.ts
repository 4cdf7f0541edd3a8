import type { EntityKey } from '../../entity/stored/entity.js';
import type { EntityLinks } from '../../entity/stored/write-row.js';

/**
 * Returns the path of an entity relative to the base. Quotes in keys are doubled. Only characters that no URI may contain are
 * encoded: `@` stays as it is. Source: cosmos 1.
 */
export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  return `${encodeForUri(table)}(PartitionKey='${escapeText(partitionKey)}',RowKey='${escapeText(rowKey)}')`;
}

/** Returns the URL of an entity. */
export function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the path of a table relative to the base. */
export function tablePath(name: string): string {
  return `Tables('${escapeText(name)}')`;
}

/** Writes a text as it stands between quotes. */
function escapeText(text: string): string {
  return encodeForUri(text.replaceAll("'", "''"));
}

/** Encodes what a URI may not contain. A lone surrogate has no UTF-8 form. */
function encodeForUri(text: string): string {
  return encodeURI(text.toWellFormed());
}
