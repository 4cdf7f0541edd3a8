import { applyChange } from '../entity/stored/apply-change.js';
import type { Change } from '../entity/stored/change.js';
import type { EntityText } from '../entity/stored/entity.js';
import type { ServiceTraits } from '../protocol/service-traits.js';
import type { Refusal } from './store.js';

/** What a change makes of its entity. */
export interface JudgedChange {
  /** The engine's key of the entity. */
  readonly key: string;
  /** The entity after the change; null if it is deleted. */
  readonly value: EntityText | null;
  /** The entity before the change: null if it did not exist, undefined if the change did not read it. */
  readonly previous: EntityText | null | undefined;
  /** The Timestamp of the change. A deletion has one too. */
  readonly timestamp: string;
}

/** The result of changes that can all be made. */
export interface Judgement {
  /** One for each change, in order. */
  readonly judged: readonly JudgedChange[];
  /** An upper bound of how many stored entities are overwritten or deleted: some changes do not read the entity. */
  readonly dead: number;
}

/**
 * Judges changes in order, each on the result of those before it. Every engine uses this function, on texts that it has
 * read before. `keyOf` returns the engine's key of a change, `read` the stored entity. `read` is not called for Insert Or
 * Replace, which does not depend on the entity.
 *
 * Returns what to write, or the refusal of the first change that cannot be made.
 */
export function judgeChanges(
  changes: readonly Change[],
  traits: ServiceTraits,
  nextTimestamp: () => string,
  keyOf: (change: Change, at: number) => string,
  read: (key: string) => EntityText | undefined,
): Judgement | Refusal {
  /** What the changes before have left. A single change has none before it. */
  const own = changes.length > 1 ? new Map<string, EntityText | null>() : undefined;
  const judged: JudgedChange[] = [];
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
    if ('refusal' in applied)
      return { reason: applied.refusal, at, ...(existing !== undefined && !isOwn && { existing }) };
    if (isBlind || existing !== undefined) dead++;
    judged.push({ key, value: applied.text, previous: isBlind ? left : (existing ?? null), timestamp });
    own?.set(key, applied.text);
    at++;
  }
  return { judged, dead };
}
