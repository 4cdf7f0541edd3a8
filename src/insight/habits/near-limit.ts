import type { Change } from '../../entity/stored/change.js';
import { entityBytes } from '../../entity/stored/entity-size.js';
import {
  binaryBytesMax,
  bodyBytesMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  stringUnitsMax,
} from '../../protocol/limits.js';
import { thresholds } from '../rules/thresholds.js';

const share = thresholds.nearLimit;

/** A request of fewer bytes has no value that is near a limit: a character takes a byte at least. */
const largeBodyBytes = share * stringUnitsMax;

/** What of an entity is near a limit: the cause, and the words that name it. */
export interface NearLimit {
  readonly name: `near-limit/${'entity' | 'properties' | 'value' | 'key'}`;
  readonly shape: string;
}

const near = (cause: 'entity' | 'properties' | 'value' | 'key', shape: string): NearLimit => ({
  ...{ name: `near-limit/${cause}`, shape },
});

/**
 * Returns what of a written entity is near a limit of the service; undefined if nothing is. `bodyBytes` is the
 * size of the request. Only what was sent is judged: properties that a merge keeps are not known.
 */
export function nearLimit(change: Change, bodyBytes: number): NearLimit | undefined {
  const { key } = change;
  if (Math.max(key.partitionKey.length, key.rowKey.length) >= share * keyUnitsMax)
    return near('key', 'a key near 1 KiB');
  if (change.kind === 'delete') return undefined;
  const { properties } = change;
  if (properties.length >= share * entityPropertiesMax)
    return near('properties', `an entity with nearly ${entityPropertiesMax} properties`);
  if (bodyBytes < largeBodyBytes) return undefined;
  const bytes = entityBytes(key, properties);
  if (bytes >= share * entityBytesMax) return near('entity', 'an entity near 1 MiB');
  // A value is not larger than its entity.
  if (bytes < share * Math.min(2 * stringUnitsMax, binaryBytesMax)) return undefined;
  // In both types, `valueBytes` includes four bytes for the length.
  const isLarge = properties.some(
    ({ type, valueBytes }) =>
      (type === 'Edm.String' && valueBytes - 4 >= share * 2 * stringUnitsMax) ||
      (type === 'Edm.Binary' && valueBytes - 4 >= share * binaryBytesMax),
  );
  return isLarge ? near('value', 'a value near 64 KiB') : undefined;
}

/** Returns whether the body of a transaction is near the limit. */
export function isLargeTransaction(bodyBytes: number): boolean {
  return bodyBytes >= share * bodyBytesMax;
}
