import { applyChange } from '../../entity/apply-change.js';
import type { Change } from '../../entity/change.js';
import type { Clock } from '../../entity/clock.js';
import type { EntityText } from '../../entity/entity.js';
import type { Refusal } from '../store.js';
import type { RecordChange } from './commit-queue.js';
import { encodeEntityKey } from './key-encoding.js';

/** What changes make of the records of a table. */
export interface Judgement {
  readonly records: readonly RecordChange[];
  /** Records that are overwritten or removed, and stay behind dead; at most, since some writes do not look. */
  readonly dead: number;
}

/**
 * Judges changes in order, each on what those before it made and on the entities as `read` tells them.
 * Insert Or Replace asks nothing of what is there, so that is not read.
 * Gives all records that change, or the refusal of the first change that cannot be made.
 */
export function judgeChanges(
  prefix: string,
  changes: readonly Change[],
  clock: Clock,
  read: (key: string) => EntityText | undefined,
): Judgement | Refusal {
  const own = new Map<string, string | null>();
  const records: RecordChange[] = [];
  let dead = 0;
  for (const [at, change] of changes.entries()) {
    const key = encodeEntityKey(prefix, change.key);
    const isBlind = change.kind === 'replace' && change.ifMatch === undefined;
    const existing = isBlind ? undefined : own.has(key) ? (own.get(key) ?? undefined) : read(key);
    const applied = applyChange(change, existing, clock.nextTimestamp());
    if ('refusal' in applied) return { reason: applied.refusal, at };
    if (isBlind || existing !== undefined) dead++;
    own.set(key, applied.text);
    records.push({ key, value: applied.text });
  }
  return { records, dead };
}
