import type { JudgedChange } from '../../judge-changes.js';
import type { RecordChange } from '../engine/engine.js';
import { joinPlace, placeAt, placeOf, placeRows } from './ordinal-encoding.js';

/** The records of changes to a table in the order of insertion. */
export interface PlacedChanges {
  readonly records: readonly RecordChange[];
  /** Number of records of the orders that were deleted. */
  readonly dead: number;
}

/**
 * Returns the records of changes to a table in the order of insertion. A new entity gets the last place. Every other write
 * keeps the place of the entity. `read` returns the record of an entity as it is before all of the changes.
 *
 * Source: cosmos 5.
 */
export function placeChanges(
  prefix: string,
  judged: readonly JudgedChange[],
  read: (key: string) => string | undefined,
): PlacedChanges {
  /** The places that the changes before have left. */
  const own = new Map<string, string | undefined>();
  const records: RecordChange[] = [];
  let dead = 0;
  for (const { key, value, timestamp } of judged) {
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
