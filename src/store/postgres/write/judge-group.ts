import type { Change } from '../../../entity/stored/change.js';
import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import type { AccountServices } from '../../account-services.js';
import type { Writer } from '../../commit-listeners.js';
import { type JudgedChange, judgeChanges } from '../../judge-changes.js';
import { isRejection, type Rejection } from '../../store.js';
import { bodyOf, textOf, timeOf, unstamped, unstampedTextOf } from '../schema/stamps.js';

/** A commit that waits to be written. */
export interface AskedCommit {
  readonly account: string;
  /** The key of the table's name. */
  readonly name: string;
  /** The table that a handle stands for: its id, null if it found none, undefined before its first operation. */
  readonly id: string | null | undefined;
  readonly changes: readonly Change[];
  /** The request that asks for the changes, for the listeners of commits. */
  readonly writer?: Writer | undefined;
}

/** An entity in the database. */
export interface KnownEntity {
  readonly ts: string;
  readonly body: string;
}

/** The database as a group has read it: ids of tables and entities, null for those that are missing. */
export interface KnownState {
  /** By `tableKeyOf`. */
  readonly ids: ReadonlyMap<string, string | null>;
  /** By `entityKeyOf`. */
  readonly entities: ReadonlyMap<string, KnownEntity | null>;
}

/** An entity as a change leaves it. Its stamp is `offset` after that of the group. */
interface StampedBody {
  readonly body: string;
  readonly offset: number;
}

/** A change of a group. The texts in `judged` have no stamps. */
interface GroupChange {
  readonly judged: JudgedChange;
  /** The stamp of the change. A deletion has one too. */
  readonly offset: number;
  /** The entity afterwards; null if it is deleted. */
  readonly made: StampedBody | null;
  /** The stamp of the entity before, if this group made it. */
  readonly previousOffset: number | undefined;
}

/** One row of the write: what the database must have now (expect, '0' for nothing), and what it gets (null: a delete). */
export interface EntityWrite {
  readonly table: string;
  readonly key: EntityKey;
  readonly expect: string;
  readonly made: StampedBody | null;
  /** In a table in the order of insertion: the stamp at which the entity begins, if that is in this group. */
  readonly born: number | undefined;
}

/** What becomes of a group of commits. */
export interface GroupJudgement {
  /** For each commit that was judged, what its changes do, or why it is rejected. */
  readonly outcomes: readonly (readonly GroupChange[] | Rejection)[];
  readonly writes: readonly EntityWrite[];
  readonly stamps: number;
}

/** Returns the key of a table. */
export function tableKeyOf({ account, name }: Pick<AskedCommit, 'account' | 'name'>): string {
  return `${account}/${name}`;
}

/** Returns the key of an entity of a table. */
export function entityKeyOf(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `${table}/${partitionKey.length}/${partitionKey}${rowKey}`;
}

/**
 * Judges commits in order, each on what those before it leave. `offsetOf` gives the offset of the
 * group's first, second, … stamp.
 *
 * May judge fewer commits than asked. That commit, and those after it, must be judged again with the next group:
 *
 * - A rejection that rests both on a row that this group writes and on one that it only read belongs to no single moment,
 *   because the write proves only what it changes.
 * - A row that an earlier commit of the group makes and a later one deletes would not be written, so nothing would prove
 *   that it was free when the earlier commit made it.
 */
export function judgeGroup(
  group: readonly AskedCommit[],
  { ids, entities }: KnownState,
  services: AccountServices,
  offsetOf: (stamp: number) => number,
): GroupJudgement {
  const outcomes: (readonly GroupChange[] | Rejection)[] = [];
  const after = new Map<string, EntityWrite>();
  let stamps = 0;
  for (const commit of group) {
    const table = tableKeyOf(commit);
    const id = ids.get(table);
    if (id == null || (commit.id !== undefined && commit.id !== id)) {
      outcomes.push({ reason: 'table-missing', at: 0 });
      continue;
    }
    const traits = services.traitsOf(commit.account);
    let [restsOnGroup, restsOnRead] = [false, false];
    const read = (key: string): EntityText | undefined => {
      const pending = after.get(key);
      if (pending) {
        restsOnGroup = true;
        return pending.made ? unstampedTextOf(pending.made.body) : undefined;
      }
      restsOnRead = true;
      const known = entities.get(key);
      return known ? textOf(known.body, known.ts) : undefined;
    };
    const keys = commit.changes.map(({ key }) => entityKeyOf(table, key));
    // Only a commit that changes an entity twice compares a tag with what it has made itself.
    const timestamp = new Set(keys).size < keys.length ? unstamped : '';
    const judged = judgeChanges(
      commit.changes,
      traits,
      () => timestamp,
      (_change, at) => keys[at] as string,
      read,
    );
    if (isRejection(judged)) {
      if (restsOnGroup && restsOnRead) break;
      // A row that this group made has no stamp yet.
      outcomes.push(restsOnGroup ? { reason: judged.reason, at: judged.at } : judged);
      continue;
    }
    if (judged.judged.some(({ key, value }) => value === null && after.has(key) && !entities.get(key))) break;
    outcomes.push(
      judged.judged.map((one, at) => {
        const offset = offsetOf(++stamps);
        const made = one.value === null ? null : { body: bodyOf(one.value), offset };
        const before = after.get(one.key);
        const known = entities.get(one.key);
        const isNew = !(before ? before.made : known);
        const born = traits.rowOrder === 'key' || !made ? undefined : isNew ? stamps : before?.born;
        const previousOffset = before?.made?.offset;
        const { key } = commit.changes[at] as Change;
        after.set(one.key, { table, key, expect: known?.ts ?? '0', made, born });
        return { judged: one, offset, made, previousOffset };
      }),
    );
  }
  // Made and deleted by one commit: there is nothing to write.
  const writes = [...after.values()].filter(({ made, expect }) => made !== null || expect !== '0');
  // The order in which all servers lock rows.
  return { outcomes, writes: writes.sort(byKey), stamps };
}

function byKey(a: EntityWrite, b: EntityWrite): number {
  return (
    compare(a.key.partitionKey, b.key.partitionKey) || compare(a.key.rowKey, b.key.rowKey) || compare(a.table, b.table)
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns a change with its stamps. `base` is the stamp from which the offsets of its group count. */
export function committed({ judged, offset, made, previousOffset }: GroupChange, base: bigint): JudgedChange {
  const ticks = (from: number) => String(base + BigInt(from));
  const { previous } = judged;
  const isOfGroup = typeof previous === 'string' && previousOffset !== undefined;
  return {
    key: judged.key,
    value: made && textOf(made.body, ticks(made.offset)),
    previous: isOfGroup ? textOf(bodyOf(previous), ticks(previousOffset)) : previous,
    timestamp: timeOf(ticks(offset)),
  };
}
