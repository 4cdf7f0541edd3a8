import type { Change, ChangeRefusal, IfMatch } from './change.js';
import { type EntityText, etagOf, type Property, writeEntityText } from './entity.js';
import { checkEntitySize } from './entity-size.js';
import { readProperties } from './read-property.js';

/** What a change makes of an entity: its new text, null where it is gone, or why it cannot be made. */
export type Applied = { readonly text: EntityText | null } | { readonly refusal: ChangeRefusal };

/**
 * Applies one change to an entity as it stands (undefined: it does not exist), giving it this timestamp.
 *
 * Pure, so that the store decides when and in which order. An insert keeps the written order of the properties; every
 * other write stores all of them sorted by name. Source: recordings-facts 0.1; checks-order, ladders 6 and 7.
 */
export function applyChange(change: Change, existing: EntityText | undefined, timestamp: string): Applied {
  if (change.kind === 'insert') {
    const refusal = checkEntitySize(change.key, change.properties);
    if (refusal) return { refusal };
    if (existing !== undefined) return { refusal: 'entity-exists' };
    return { text: writeEntityText(change.key, timestamp, change.properties) };
  }
  const conflict = checkCondition(change.kind === 'delete' ? (change.ifMatch ?? '*') : change.ifMatch, existing);
  if (conflict) return { refusal: conflict };
  if (change.kind === 'delete') return { text: null };
  const properties = sortProperties(
    change.kind === 'merge' && existing !== undefined
      ? mergeProperties(readProperties(existing), change.properties)
      : change.properties,
  );
  const refusal = checkEntitySize(change.key, properties);
  if (refusal) return { refusal };
  return { text: writeEntityText(change.key, timestamp, properties) };
}

/** Existence comes before the tag. Source: recordings-facts 3. */
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

/** Ordinal order of the names: JavaScript compares strings by code unit, as the service does. */
function sortProperties(properties: readonly Property[]): readonly Property[] {
  return [...properties].sort((a, b) => (a.name < b.name ? -1 : 1));
}
