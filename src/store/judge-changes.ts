import type { Change, ChangeRejection, IfMatch } from '../entity/stored/change.js';
import { type EntityText, etagOf, type Property, writeEntityText } from '../entity/stored/entity.js';
import { checkEntitySize } from '../entity/stored/entity-size.js';
import { readProperties } from '../entity/stored/read-property.js';
import { type ServiceTraits, storageTraits } from '../protocol/service-traits.js';
import type { Rejection } from './store.js';

/** The effect of a change on its entity. */
export interface ChangeOutcome {
  /** The engine's key of the entity. */
  readonly key: string;
  /** The entity after the change; null if it is deleted. */
  readonly value: EntityText | null;
  /** The entity before the change: null if it did not exist, undefined if the change did not read it. */
  readonly previous: EntityText | null | undefined;
  /** The Timestamp of the change. A deletion has one too. */
  readonly timestamp: string;
}

/** The result of an accepted list of changes. */
export interface Judgement {
  /** One for each change, in order. */
  readonly outcomes: readonly ChangeOutcome[];
  /** An upper bound for the number of overwritten or deleted entities: some changes do not read the entity. */
  readonly dead: number;
}

/**
 * Judges changes in order, each on the result of those before it. Returns the writes, or the rejection of the first change that fails.
 *
 * `keyOf` returns the engine's key of a change. `read` returns a stored entity; it is not called for Insert Or Replace, which does
 * not depend on the entity.
 */
export function judgeChanges(
  changes: readonly Change[],
  traits: ServiceTraits,
  nextTimestamp: () => string,
  keyOf: (change: Change, at: number) => string,
  read: (key: string) => EntityText | undefined,
): Judgement | Rejection {
  /** The results of earlier changes. A single change has none. */
  const own = changes.length > 1 ? new Map<string, EntityText | null>() : undefined;
  const outcomes: ChangeOutcome[] = [];
  let dead = 0;
  let at = 0;
  for (const change of changes) {
    const key = keyOf(change, at);
    const isBlind = change.kind === 'replace' && change.ifMatch === undefined;
    const left = own?.get(key);
    const isOwn = left !== undefined;
    const existing = isBlind ? undefined : isOwn ? (left ?? undefined) : read(key);
    const timestamp = nextTimestamp();
    const applied = applyChange(change, existing, timestamp, traits);
    if ('rejection' in applied)
      return { reason: applied.rejection, at, ...(existing !== undefined && !isOwn && { existing }) };
    if (isBlind || existing !== undefined) dead++;
    outcomes.push({ key, value: applied.text, previous: isBlind ? left : (existing ?? null), timestamp });
    own?.set(key, applied.text);
    at++;
  }
  return { outcomes, dead };
}

/** The result of a change: the new text of the entity (null after a delete), or the reason for a rejection. */
export type Applied = { readonly text: EntityText | null } | { readonly rejection: ChangeRejection };

/**
 * Applies one change to an entity, with a timestamp. Pure. `existing` is undefined if the entity does not exist.
 *
 * An insert keeps the order in which the properties were sent. Every other write stores all properties in the order of the traits,
 * by default those of storage accounts. Source: recordings-facts 0; checks-order 6; checks-order 7; cosmos 2.
 */
export function applyChange(
  change: Change,
  existing: EntityText | undefined,
  timestamp: string,
  { limits, propertyOrder }: ServiceTraits = storageTraits,
): Applied {
  if (change.kind === 'insert') {
    const rejection = checkEntitySize(change.key, change.properties, limits);
    if (rejection) return { rejection };
    if (existing !== undefined) return { rejection: 'entity-exists' };
    return { text: writeEntityText(change.key, timestamp, change.properties, change.members) };
  }
  const conflict = checkCondition(change.kind === 'delete' ? (change.ifMatch ?? '*') : change.ifMatch, existing);
  if (conflict) return { rejection: conflict };
  if (change.kind === 'delete') return { text: null };
  const written =
    change.kind === 'merge' && existing !== undefined
      ? mergeProperties(readProperties(existing), change.properties)
      : change.properties;
  const properties = propertyOrder === 'sorted' ? sortProperties(written) : written;
  const rejection = checkEntitySize(change.key, properties, limits);
  if (rejection) return { rejection };
  return { text: writeEntityText(change.key, timestamp, properties) };
}

/** Checks that the entity exists, then that its ETag matches. Source: recordings-facts 3. */
function checkCondition(ifMatch: IfMatch, existing: EntityText | undefined): ChangeRejection | undefined {
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
