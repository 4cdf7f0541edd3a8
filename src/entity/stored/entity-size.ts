import { type EntityLimits, storageTraits } from '../../protocol/service-traits.js';
import type { ChangeRejection } from './change.js';
import type { EntityKey, Property } from './entity.js';

/** Returns the size of an entity in bytes, computed with the service's formula. Source: data-model 4. */
export function entityBytes(key: EntityKey, properties: readonly Property[]): number {
  let bytes = 4 + 2 * key.partitionKey.length + 2 * key.rowKey.length;
  for (const { name, valueBytes } of properties) bytes += 8 + 2 * name.length + valueBytes;
  return bytes;
}

/**
 * Checks an entity against the limits of its service, by default of storage accounts, in the service's order: number of
 * properties, lengths of names, size of the entity, then each value and key. Returns the first violation, or undefined.
 * Source: checks-order 6 steps 10 and 11.
 */
export function checkEntitySize(
  key: EntityKey,
  properties: readonly Property[],
  limits: EntityLimits = storageTraits.limits,
): ChangeRejection | undefined {
  if (properties.length > limits.properties) return 'properties-too-many';
  const bytes = entityBytes(key, properties);
  // A part is not larger than the whole, so most entities need no check of each part.
  const mayHaveLongName = bytes > 2 * limits.nameUnits;
  const mayHaveLargeValue = bytes > Math.min(2 * limits.stringUnits, limits.binaryBytes);
  if (mayHaveLongName && properties.some(({ name }) => name.length > limits.nameUnits)) return 'property-name-too-long';
  if (bytes > limits.bytes) return 'entity-too-large';
  if (mayHaveLargeValue && properties.some((property) => isValueTooLarge(property, limits))) {
    return 'property-value-too-large';
  }
  const { partitionKey, rowKey } = key;
  const areKeysTooLong = partitionKey.length > limits.partitionKeyUnits || rowKey.length > limits.rowKeyUnits;
  return areKeysTooLong ? 'property-value-too-large' : undefined;
}

/** Checks one value. In both types, `valueBytes` includes the four bytes that the formula adds for the length. */
function isValueTooLarge({ type, valueBytes }: Property, { stringUnits, binaryBytes }: EntityLimits): boolean {
  if (type === 'Edm.String') return valueBytes > 2 * stringUnits + 4;
  return type === 'Edm.Binary' && valueBytes > binaryBytes + 4;
}
