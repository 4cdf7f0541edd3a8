import {
  binaryBytesMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  propertyNameUnitsMax,
  stringUnitsMax,
} from '../protocol/limits.js';
import type { ChangeRefusal } from './change.js';
import type { EntityKey, Property } from './entity.js';

/** Size of an entity. Unit: bytes, by the service's own formula. Source: data model, "Entity size formula". */
export function entityBytes(key: EntityKey, properties: readonly Property[]): number {
  let bytes = 4 + 2 * key.partitionKey.length + 2 * key.rowKey.length;
  for (const { name, valueBytes } of properties) bytes += 8 + 2 * name.length + valueBytes;
  return bytes;
}

/**
 * Whether an entity keeps to the service's limits, asked in its order: number of properties, lengths of names, the
 * whole entity, then each value and key. Source: checks-order, ladder 6, steps 10 and 11.
 */
export function checkEntitySize(key: EntityKey, properties: readonly Property[]): ChangeRefusal | undefined {
  if (properties.length > entityPropertiesMax) return 'properties-too-many';
  if (properties.some(({ name }) => name.length > propertyNameUnitsMax)) return 'property-name-too-long';
  if (entityBytes(key, properties) > entityBytesMax) return 'entity-too-large';
  if (properties.some(isValueTooLarge)) return 'property-value-too-large';
  if (key.partitionKey.length > keyUnitsMax || key.rowKey.length > keyUnitsMax) return 'property-value-too-large';
  return undefined;
}

/** Both sizes carry the four bytes of the length that the formula counts. */
function isValueTooLarge({ type, valueBytes }: Property): boolean {
  if (type === 'Edm.String') return valueBytes > 2 * stringUnitsMax + 4;
  return type === 'Edm.Binary' && valueBytes > binaryBytesMax + 4;
}
