import type { EntityText } from '../../../entity/stored/entity.js';
import { encodeOrdered } from '../../encoding/encode-ordered.js';
import { filetimeOf } from '../../encoding/filetime.js';
import { endOfRows, type StoredRange } from '../engine/key-encoding.js';

/**
 * A table in the order of insertion keeps three records of each entity. All are below the prefix of the table, so that
 * everything that handles whole tables (sweeps, layers, compactions) handles them, too.
 *
 * - The entity, under its key as in every table. Its place stands before its text.
 * - Its row in the order of the table, and its row in the order of its partition: each under its place, with the key of the
 *   entity as the value. They sort after all entities.
 */

/** Number of characters of a place. */
const placeLength = 16;

const ofTable = `${endOfRows}t`;
const ofPartition = `${endOfRows}p`;
const separator = '\u0000';
const afterSeparator = '\u0001';
const afterTable = `${endOfRows}u`;

/**
 * Returns the place of an entity that is inserted at a Timestamp: 16 hex digits. No other entity of the store has the
 * Timestamp, and later ones are greater, so places need no counter.
 */
export function placeAt(timestamp: string): string {
  return filetimeOf(timestamp).toString(16).padStart(placeLength, '0');
}

/** Returns the record of an entity: its place and its text. */
export function joinPlace(place: string, text: EntityText): string {
  return place + text;
}

/** Returns the place in the record of an entity. */
export function placeOf(stored: string): string {
  return stored.slice(0, placeLength);
}

/** Returns the text in the record of an entity. */
export function textOf(stored: string): EntityText {
  return stored.slice(placeLength);
}

/** Returns the keys of the two rows that an entity has in the orders. `row` is its key without the prefix of the table. */
export function placeRows(row: string, place: string): readonly [table: string, partition: string] {
  const partition = row.slice(0, row.indexOf(separator));
  return [`${ofTable}${place}`, `${ofPartition}${partition}${separator}${place}`];
}

/** Returns the place in a row of an order. */
export function placeOfRow(row: string): string {
  return row.slice(-placeLength);
}

/** Returns the rows in the order of a partition, or of the table, from a place on. Without the prefix of the table. */
export function placeRange(partitionKey: string | undefined, startAt = ''): StoredRange {
  if (partitionKey === undefined) return { gte: ofTable + startAt, lt: afterTable };
  const partition = ofPartition + encodeOrdered(partitionKey);
  return { gte: `${partition}${separator}${startAt}`, lt: partition + afterSeparator };
}
