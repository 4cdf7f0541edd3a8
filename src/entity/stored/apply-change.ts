import { type ServiceTraits, storageTraits } from '../../protocol/service-traits.js';
import type { Change, ChangeRefusal, IfMatch } from './change.js';
import { type EntityText, etagOf, type Property, writeEntityText } from './entity.js';
import { checkEntitySize } from './entity-size.js';
import { readProperties } from './read-property.js';

/** The result of a change: the new text of the entity (null after a delete), or the reason for a refusal. */
export type Applied = { readonly text: EntityText | null } | { readonly refusal: ChangeRefusal };

/**
 * Applies one change to an entity and gives it the timestamp. `existing` is undefined if the entity does not exist.
 *
 * The function is pure: the store decides when and in which order to apply changes. An insert keeps the order in which
 * the properties were sent. Every other write stores all properties in the order that `traits` asks for; by default those
 * of storage accounts.
 *
 * Source: recordings-facts 0; checks-order 6; checks-order 7; cosmos 2.
 */
export function applyChange(
  change: Change,
  existing: EntityText | undefined,
  timestamp: string,
  { limits, propertyOrder }: ServiceTraits = storageTraits,
): Applied {
  if (change.kind === 'insert') {
    const refusal = checkEntitySize(change.key, change.properties, limits);
    if (refusal) return { refusal };
    if (existing !== undefined) return { refusal: 'entity-exists' };
    return { text: writeEntityText(change.key, timestamp, change.properties, change.members) };
  }
  const conflict = checkCondition(change.kind === 'delete' ? (change.ifMatch ?? '*') : change.ifMatch, existing);
  if (conflict) return { refusal: conflict };
  if (change.kind === 'delete') return { text: null };
  const written =
    change.kind === 'merge' && existing !== undefined
      ? mergeProperties(readProperties(existing), change.properties)
      : change.properties;
  const properties = propertyOrder === 'sorted' ? sortProperties(written) : written;
  const refusal = checkEntitySize(change.key, properties, limits);
  if (refusal) return { refusal };
  return { text: writeEntityText(change.key, timestamp, properties) };
}

/** Checks that the entity exists, then that its ETag matches. Source: recordings-facts 3. */
function checkCondition(ifMatch: IfMatch, existing: EntityText | undefined): ChangeRefusal | undefined {
  if (ifMatch === undefined) return undefined;
  if (existing === undefined) return 'entity-missing';
  if (ifMatch === '*') return undefined;
  return ifMatch === etagOf(existing) ? undefined : 'etag-differs';
}

function mergeProperties(old: readonly Property[], sent: readonly Property[]): Property[] {
  const merged = new Map(old.map((property) => [property.name, property]));
  for (const property of sent) merged.set(property.name, property);
  return [...merged.values()];
}

/** Sorts by name in ordinal order: JavaScript compares strings by code unit, as the service does. */
function sortProperties(properties: readonly Property[]): readonly Property[] {
  return [...properties].sort((a, b) => (a.name < b.name ? -1 : 1));
}
