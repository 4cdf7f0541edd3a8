import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { TableSelection } from './copy/stored-parts.js';
import type { SnapshotSummary } from './snapshot-summary.js';
import type { Refusal } from './store.js';

export type { SnapshotSummary };

/** What a restore gives to one account. */
export interface RestoredAccount {
  /** The account as the snapshot has it. */
  readonly from: string;
  /** The account that gets its tables and settings. What that one had before is removed. */
  readonly to: string;
  /** Decides by account and name whether to restore a table. Absent: all tables, and the settings. */
  readonly concerns?: TableSelection;
}

/** What an entity gets back. */
export interface EntityReversal {
  readonly key: EntityKey;
  /** What must be there now; null if nothing may be. Otherwise others have written since, and it stays. */
  readonly present: EntityText | null;
  /** What was there, with its Timestamp; null if nothing was. */
  readonly text: EntityText | null;
}

/** A table whose entities are given back. */
export interface RevertedPlace {
  readonly account: string;
  readonly table: string;
  /** An account that has the table as it was before, with the places of the entities. */
  readonly before: string;
}

/** What a reversal of whole tables did. */
export interface TableReversal {
  /** Number of tables that are as they were before. */
  readonly tables: number;
  /** The tables that were changed since, and stay as they are. */
  readonly changed: readonly { readonly account: string; readonly name: string }[];
}

/** A text that is kept with a snapshot. */
export interface SnapshotNote {
  readonly name: string;
  readonly note: string;
}

/** Gives back what was removed, and never over what others wrote since. */
export interface ReversingStore {
  /**
   * Takes a snapshot of tables that are then dropped, emptied or replaced as a whole, by calls in the same turn. It has them
   * as they are at that moment, and takes a time that does not depend on their entities. A table that stays may be in it as it
   * is later.
   */
  keepTables(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary>;
  /**
   * Gives tables back what they were in the snapshot `before`, each only if it still is as in the snapshot `after`: not
   * written since, or missing in both. Entities keep their Timestamps.
   * `concerns` decides by account and name which tables; absent: all. Returns undefined if one of the
   * snapshots is missing.
   */
  revertTables(before: string, after: string, concerns?: TableSelection): Promise<TableReversal | undefined>;
  /**
   * Gives entities of a table back what they were, all that are as expected. An entity that already is as it was stays, too.
   * Listeners of commits get what was changed. Returns the positions of those that are neither, or a refusal if the table
   * is missing.
   */
  revertEntities(place: RevertedPlace, reversals: readonly EntityReversal[]): Promise<readonly number[] | Refusal>;
  /** Keeps a text with a snapshot until it is deleted or replaced. Does nothing if the snapshot is missing. */
  note(name: string, note: string): Promise<void>;
  /** Returns the snapshots that have a text, in no order. */
  notes(): Promise<readonly SnapshotNote[]>;
  /** Returns a number that no server of the same data has got before. Absent: no other server uses the data. */
  nextNumber?(): Promise<number>;
}

/** A throw-away account that begins as a copy. */
export interface BranchRecord {
  readonly account: string;
  /** What it is a copy of: an account, as it is or as a snapshot has it. */
  readonly from: { readonly account: string; readonly snapshot?: string };
  /** Its only key, in base64. */
  readonly key: string;
  /** When it ends. Unit: milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Keeps accounts as they were at one moment: tables with entities, policies and times of creation, and the settings.
 *
 * A transaction is in a snapshot with all of its changes or not at all, and of two transactions that one client made one
 * after the other, the second is not in it without the first. Entities keep their Timestamps and ETags. Later writes get
 * later ones, so an ETag never stands for two contents.
 */
export interface SnapshotStore {
  /**
   * Takes a snapshot of accounts, or of those tables that `concerns` accepts by account and name. Replaces the one of the
   * same name. One that is `exact` is of the moment of the call: it is refused if its connection is lost after that moment,
   * and not taken again of what is there then. Errors: StoreUnavailable.
   */
  take(
    name: string,
    accounts: readonly string[],
    concerns?: TableSelection,
    moment?: 'exact',
  ): Promise<SnapshotSummary>;
  /**
   * Restores accounts from a snapshot, all at one moment. Returns the number of tables, or undefined, without a change, if
   * the snapshot is missing or does not have one of them.
   */
  restore(name: string, accounts: readonly RestoredAccount[]): Promise<number | undefined>;
  /** Returns all snapshots by name. */
  list(): Promise<readonly SnapshotSummary[]>;
  /** Deletes a snapshot. Returns whether there was one. */
  delete(name: string): Promise<boolean>;
  /** Makes a branch, with its record, at one moment. Returns the number of tables, or undefined if its snapshot is missing. */
  branch(branch: BranchRecord): Promise<number | undefined>;
  /** Returns all branches by account. */
  branches(): Promise<readonly BranchRecord[]>;
  /** Removes a branch with everything in it. Returns whether there was one. */
  endBranch(account: string): Promise<boolean>;
  /**
   * Calls `listener` with each account that turns out to be a branch which another server has ended, before the store
   * returns the settings of the account. Absent: no other server uses the data.
   */
  onEndedElsewhere?(listener: (account: string) => void): void;
  /** Gives back what was removed. */
  readonly reversing: ReversingStore;
}
