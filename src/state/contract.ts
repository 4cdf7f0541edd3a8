import type { SnapshotSummary } from '../store/snapshot-summary.js';

export type { SnapshotSummary };

/** What a reset goes back to, and how much of the data it concerns. */
export interface ResetTarget {
  /** The account; all accounts if it is absent. Branches are reset only by their own name. */
  readonly account?: string;
  /** One table, which stays and is empty afterwards. */
  readonly table?: string;
  /** All tables whose names begin with this text, in any letter case. They stay and are empty afterwards. */
  readonly tablePrefix?: string;
  /** One partition of `table`. Takes time linear in its entities; everything else does not depend on their number. */
  readonly partition?: string;
  /**
   * What to go back to: `empty`, or the name of a snapshot, as its account had it. Absent: the snapshot `seed` if there is
   * one, otherwise `empty`. A partition can only be emptied.
   */
  readonly to?: string;
}

/** What a reset did. */
export interface ResetReport {
  /** `empty`, or the snapshot. */
  readonly to: string;
  /** Number of tables that were removed, emptied or restored. */
  readonly tables: number;
  /** Number of entities that were deleted; only for a partition. */
  readonly entities?: number;
  /** How long it took. Unit: milliseconds. */
  readonly ms: number;
  /** The id by which it can be undone for a while; absent if nothing is kept. */
  readonly undo?: string;
}

/** What a restore of a snapshot did. */
export interface RestoreReport {
  /** Number of tables that were restored. */
  readonly tables: number;
  /** How long it took. Unit: milliseconds. */
  readonly ms: number;
  /** The id by which it can be undone for a while; absent if nothing is kept. */
  readonly undo?: string;
}

/** What a deletion of entities by a filter did. */
export interface DeletionReport {
  /** Number of entities that were deleted. */
  readonly entities: number;
  /** The id by which it can be undone for a while; absent if nothing is kept. */
  readonly undo?: string;
}

/** A call that can be undone. */
export interface UndoSummary {
  readonly id: string;
  /** What the call did, in words. */
  readonly what: string;
  /** When it was: UTC text. */
  readonly at: string;
  /** Until when it can be undone: UTC text. */
  readonly until: string;
}

/** Something that an undo has left as it is. */
export interface LeftOut {
  readonly account: string;
  readonly table: string;
  /** The entity; absent for the whole table. */
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** Why, in words. */
  readonly why: string;
}

/** What an undo did. */
export interface UndoReport {
  readonly id: string;
  /** What was undone, in words. */
  readonly what: string;
  /** Number of tables that are as they were before. */
  readonly tables: number;
  /** Number of entities that the call had removed or changed in other tables, and that are as they were before. */
  readonly entities: number;
  /** What others have changed since, and therefore stays; the first 100. */
  readonly leftOut: readonly LeftOut[];
  /** How many there are in all. */
  readonly leftOutCount: number;
  /** How long it took. Unit: milliseconds. */
  readonly ms: number;
}

/** What a branch begins as, and how long it lasts. */
export interface BranchWish {
  /** The name of a snapshot, or of an account as it is now. Absent: the snapshot `seed` if there is one, or the account. */
  readonly from?: string;
  /** The account; needed for a snapshot of several. Absent: the first one. */
  readonly account?: string;
  /** When it ends by itself. Unit: seconds. Default: 3600. */
  readonly seconds?: number;
}

/** A throw-away account that began as a copy. */
export interface BranchSummary {
  readonly account: string;
  readonly from: { readonly account: string; readonly snapshot?: string };
  /** When it ends by itself: UTC text. */
  readonly expires: string;
}

/** A branch that was made, with what clients need. */
export interface MadeBranch extends BranchSummary {
  /** Its only key, in base64. */
  readonly key: string;
  /** Number of tables that it began with. */
  readonly tables: number;
  /** The service that it belongs to. */
  readonly dialect: 'storage' | 'cosmos';
}

/** Which states to compare. */
export interface DiffWish {
  /** The earlier state: a snapshot, or an account as it is now. */
  readonly from: string;
  /** The later state. Absent: the account of `from` as it is now. */
  readonly to?: string;
  /** The account of snapshots that have several. Absent: the first one. */
  readonly account?: string;
  /** Compares only this table. */
  readonly table?: string;
  /** The most differences to return, up to 10,000. Default: 1,000. */
  readonly limit?: number;
}

/** Something that differs between two states: a table, or an entity with its keys and how it is on each side. */
export interface Difference {
  readonly kind: 'table-added' | 'table-removed' | 'added' | 'removed' | 'changed';
  readonly table: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** The entity in the earlier state, as an answer at minimal metadata has it. */
  readonly before?: unknown;
  /** The entity in the later state. */
  readonly after?: unknown;
}

/** What differs between two states, in the order of tables and keys. */
export interface DiffReport {
  readonly differences: readonly Difference[];
  /** Whether there are more. A list ends at its limit, or before its entities have more than 16 Mi characters. */
  readonly more: boolean;
}

/** A table as the control endpoint lists it. */
export interface ListedTable {
  readonly account: string;
  readonly name: string;
  /** How many entities it has, counted on demand. Absent: not asked for. */
  readonly entities?: number;
}
