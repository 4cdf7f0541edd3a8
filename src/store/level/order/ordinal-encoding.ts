import type { EntityText } from '../../../entity/stored/entity.js';
import type { ChangeOutcome } from '../../judge-changes.js';
import type { RecordChange } from '../engine/engine.js';
import { encodeOrdered, endOfRows, type StoredRange, separator } from '../engine/key-encoding.js';

/**
 * A table in insertion order keeps three records of each entity, below the prefix of the table, so that sweeps, layers and compactions
 * include them.
 *
 * - The entity, under its key as in every table. Its place precedes its text.
 * - Its row in the order of the table, and its row in the order of its partition: under its place, with the key of the entity as the
 *   value. They sort after all entities.
 */

const placeLength = 16;

const ofTable = `${endOfRows}t`;
const ofPartition = `${endOfRows}p`;
const afterSeparator = '\u0001';
const afterTable = `${endOfRows}u`;

/** Returns the place of a new entity: 16 hex digits. Timestamps of a store are unique and ascending, so places need no counter. */
function placeAt(timestamp: string): string {
  return filetimeOf(timestamp).toString(16).padStart(placeLength, '0');
}

function joinPlace(place: string, text: EntityText): string {
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

/** Returns the keys of an entity's rows in the two orders. `row` is its key without the prefix of the table. */
function placeRows(row: string, place: string): readonly [table: string, partition: string] {
  const partition = row.slice(0, row.indexOf(separator));
  return [`${ofTable}${place}`, `${ofPartition}${partition}${separator}${place}`];
}

/** Returns the place in a row of an order. */
export function placeOfRow(row: string): string {
  return row.slice(-placeLength);
}

/** Returns the range of rows in the order of a partition or of the table, from a place on. Without the prefix of the table. */
export function placeRange(partitionKey: string | undefined, startAt = ''): StoredRange {
  if (partitionKey === undefined) return { gte: ofTable + startAt, lt: afterTable };
  const partition = ofPartition + encodeOrdered(partitionKey);
  return { gte: `${partition}${separator}${startAt}`, lt: partition + afterSeparator };
}

/** The time from 1601, the epoch of FILETIME, to 1970. Unit: milliseconds. */
const epochMs = 11_644_473_600_000n;

/** Returns a Timestamp as FILETIME: 100 ns ticks since 1601. */
export function filetimeOf(timestamp: string): bigint {
  const [whole = '', fraction = ''] = timestamp.slice(0, -1).split('.');
  return (BigInt(Date.parse(`${whole}Z`)) + epochMs) * 10_000n + BigInt(fraction.padEnd(7, '0'));
}

/** The records of changes to a table in insertion order. */
interface PlacedChanges {
  readonly records: readonly RecordChange[];
  /** Number of deleted rows in the orders. */
  readonly dead: number;
}

/**
 * Returns the records of changes to a table in insertion order. A new entity gets the last place; every other write keeps the place of
 * the entity. `read` returns the record of an entity before the changes. Source: cosmos 5.
 */
export function placeChanges(
  prefix: string,
  outcomes: readonly ChangeOutcome[],
  read: (key: string) => string | undefined,
): PlacedChanges {
  /** The places after earlier changes. */
  const own = new Map<string, string | undefined>();
  const records: RecordChange[] = [];
  let dead = 0;
  for (const { key, value, timestamp } of outcomes) {
    const stored = own.has(key) ? undefined : read(key);
    const before = own.has(key) ? own.get(key) : stored && placeOf(stored);
    const place = before ?? placeAt(timestamp);
    const row = key.slice(prefix.length);
    const inOrders = (text: string | null) =>
      placeRows(row, place).map((place): RecordChange => ({ key: prefix + place, value: text }));
    if (value === null) {
      records.push({ key, value: null }, ...inOrders(null));
      dead += 2;
    } else {
      records.push({ key, value: joinPlace(place, value) });
      if (before === undefined) records.push(...inOrders(row));
    }
    own.set(key, value === null ? undefined : place);
  }
  return { records, dead };
}
