import type { Change } from '../../../entity/stored/change.js';
import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import type { AccountServices } from '../../account-services.js';
import type { Writer } from '../../commit-listeners.js';
import { type ChangeOutcome, judgeChanges } from '../../judge-changes.js';
import { isRejection, type Rejection } from '../../store.js';
import { bodyOf, textOf, timeOf, unstamped, unstampedTextOf } from '../schema/stamps.js';

/** A commit to write. */
export interface CommitRequest {
  readonly account: string;
  /** The table name in the form for comparisons. */
  readonly name: string;
  /** The id of the handle's table: null if it was missing, undefined before the first operation. */
  readonly id: string | null | undefined;
  readonly changes: readonly Change[];
  readonly writer?: Writer | undefined;
}

/** An entity in the database. */
export interface KnownEntity {
  readonly ts: string;
  readonly body: string;
}

/** The part of the database that a group has read: table ids and entities, null for missing ones. */
export interface KnownState {
  /** By `tableKeyOf`. */
  readonly ids: ReadonlyMap<string, string | null>;
  /** By `entityKeyOf`. */
  readonly entities: ReadonlyMap<string, KnownEntity | null>;
}

/** The entity after a change. Its stamp is `offset` after that of the group. */
interface StampedBody {
  readonly body: string;
  readonly offset: number;
}

/** A change of a group. The texts in `outcome` have no stamps. */
interface GroupChange {
  readonly outcome: ChangeOutcome;
  /** The stamp of the change. A deletion has one too. */
  readonly offset: number;
  /** The entity afterwards; null if it is deleted. */
  readonly result: StampedBody | null;
  /** The stamp of the previous entity, if it is from this group. */
  readonly previousOffset: number | undefined;
}

/** One row of the write: the expected stamp ('0': no row), and the result (null: a delete). */
export interface EntityWrite {
  readonly table: string;
  readonly key: EntityKey;
  readonly expect: string;
  readonly result: StampedBody | null;
  /** In a table in insertion order: the stamp of the entity's creation, if that is in this group. */
  readonly born: number | undefined;
}

/** The outcome of a group of commits. */
export interface GroupJudgement {
  /** For each judged commit, its changes or its rejection. */
  readonly outcomes: readonly (readonly GroupChange[] | Rejection)[];
  readonly writes: readonly EntityWrite[];
  readonly stamps: number;
}

/** Returns the key of a table. */
export function tableKeyOf({ account, name }: Pick<CommitRequest, 'account' | 'name'>): string {
  return `${account}/${name}`;
}

/** Returns the key of an entity of a table. */
export function entityKeyOf(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `${table}/${partitionKey.length}/${partitionKey}${rowKey}`;
}

/**
 * Judges commits in order, each on the results of those before it. `offsetOf` returns the offset of the group's first, second, … stamp.
 *
 * Stops before a commit that must be judged again, with all later ones, in the next group:
 *
 * - A rejection that depends both on a row that this group writes and on one that it only reads belongs to no single moment, because the
 *   write proves only its own rows.
 * - A row that an earlier commit of the group creates and this one deletes would not be written, so nothing would prove that it was free.
 */
export function judgeGroup(
  group: readonly CommitRequest[],
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
        return pending.result ? unstampedTextOf(pending.result.body) : undefined;
      }
      restsOnRead = true;
      const known = entities.get(key);
      return known ? textOf(known.body, known.ts) : undefined;
    };
    const keys = commit.changes.map(({ key }) => entityKeyOf(table, key));
    // Only a commit that changes an entity twice compares a tag with its own result.
    const timestamp = new Set(keys).size < keys.length ? unstamped : '';
    const judgement = judgeChanges(
      commit.changes,
      traits,
      () => timestamp,
      (_change, at) => keys[at] as string,
      read,
    );
    if (isRejection(judgement)) {
      if (restsOnGroup && restsOnRead) break;
      // A row of this group has no stamp yet.
      outcomes.push(restsOnGroup ? { reason: judgement.reason, at: judgement.at } : judgement);
      continue;
    }
    if (judgement.outcomes.some(({ key, value }) => value === null && after.has(key) && !entities.get(key))) break;
    outcomes.push(
      judgement.outcomes.map((one, at) => {
        const offset = offsetOf(++stamps);
        const result = one.value === null ? null : { body: bodyOf(one.value), offset };
        const before = after.get(one.key);
        const known = entities.get(one.key);
        const isNew = !(before ? before.result : known);
        const born = traits.rowOrder === 'key' || !result ? undefined : isNew ? stamps : before?.born;
        const previousOffset = before?.result?.offset;
        const { key } = commit.changes[at] as Change;
        after.set(one.key, { table, key, expect: known?.ts ?? '0', result, born });
        return { outcome: one, offset, result, previousOffset };
      }),
    );
  }
  // Skips rows that one commit creates and deletes.
  const writes = [...after.values()].filter(({ result, expect }) => result !== null || expect !== '0');
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

/** Returns a change with its stamps. `base` is the base stamp of its group's offsets. */
export function stampOutcome({ outcome, offset, result, previousOffset }: GroupChange, base: bigint): ChangeOutcome {
  const ticks = (from: number) => String(base + BigInt(from));
  const { previous } = outcome;
  const isOfGroup = typeof previous === 'string' && previousOffset !== undefined;
  return {
    key: outcome.key,
    value: result && textOf(result.body, ticks(result.offset)),
    previous: isOfGroup ? textOf(bodyOf(previous), ticks(previousOffset)) : previous,
    timestamp: timeOf(ticks(offset)),
  };
}
