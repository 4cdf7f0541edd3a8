import type { StoreView, TableSelection } from './stored-parts.js';

/** A snapshot, as lists show it. */
export interface SnapshotSummary {
  readonly name: string;
  /** When it was taken: canonical UTC text. Every Timestamp in it is earlier. */
  readonly at: string;
  readonly accounts: readonly { readonly name: string; readonly tables: number }[];
}

/** What an account gets from a snapshot. */
interface RestoredAccount {
  /** The account as the snapshot has it. */
  readonly from: string;
  /** The account that gets its tables and settings. What that one had before is removed. */
  readonly to: string;
  /** Decides by account and name whether to restore a table. Absent: all tables, and the settings. */
  readonly concerns?: TableSelection;
}

/** Whole tables that are replaced or removed at one moment. No account is in it twice. */
export interface Exchange {
  /** Accounts that get what a snapshot or a kept state has. The kept state is dropped with it. */
  readonly restored?: { readonly snapshot: string | KeptId; readonly accounts: readonly RestoredAccount[] };
  /** Accounts that lose all tables and their settings, as `TableStore.reset` removes them. */
  readonly reset?: readonly string[];
  /**
   * Tables that lose all entities and stay, with their policies and their time of creation. Names of missing tables are ignored. A handle
   * that was used before may find its table missing.
   */
  readonly emptied?: readonly { readonly account: string; readonly names: readonly string[] }[];
}

/** What an exchange did. Unit: tables. */
export interface Exchanged {
  /** Those that it removed, replaced or emptied. */
  readonly removed: number;
  /** Those that accounts got. */
  readonly given: number;
}

/** A state of an account: as it is, or as a snapshot has it. */
export interface AccountState {
  readonly account: string;
  readonly snapshot?: string;
}

/**
 * Why a state is kept that users neither see nor name.
 *
 * - `undo`: a call that removes something, so that it can be undone
 * - `import`: an import of everything or nothing, while it runs
 * - `load`: the data that a server loads at its start, while it does. Only a start that loads again, or decides not to, may drop it.
 */
type KeptKind = 'undo' | 'import' | 'load';

/** Names a kept state. */
export interface KeptId {
  readonly kind: KeptKind;
  /** Letters, digits and dashes. Tells it from others of its kind. */
  readonly id: string;
}

/** Names a snapshot of users, or a kept state by its kind. */
export interface SnapshotId {
  readonly kind: KeptKind | 'named';
  readonly id: string;
}

/** Returns the id of a snapshot that a user has named. */
export function named(name: string): SnapshotId {
  return { kind: 'named', id: name };
}

/** A kept state, as lists show it. */
export interface KeptState extends KeptId {
  /** When it was begun: canonical UTC text. */
  readonly at: string;
  /** A text that is kept with it; absent if there is none. */
  readonly note?: string;
}

/** Keeps how accounts were before something changed them, as snapshots that users neither see nor name. */
export interface KeptStates {
  /**
   * Keeps accounts as they are at the moment of the call, or those tables that `concerns` accepts by account and name. It is
   * rejected if its connection is lost after that moment. `note` is a text that is kept with it.
   */
  begin(kept: KeptId, accounts: readonly string[], concerns: TableSelection | undefined, note?: string): Promise<void>;
  /** Replaces the text that is kept with it. Does nothing if it is missing. */
  note(kept: KeptId, note: string): Promise<void>;
  /** Returns those of a kind, in no order. */
  list(kind: KeptKind): Promise<readonly KeptState[]>;
  /** Drops one. Returns whether there was one. */
  drop(kept: KeptId): Promise<boolean>;
  /** Returns a number that no server of the same data has got before. Absent: no other server uses the data. */
  nextNumber?(): Promise<number>;
}

/** A throw-away account that begins as a copy. */
export interface BranchRecord {
  readonly account: string;
  /** What it is a copy of: an account, as it is or as a snapshot has it. */
  readonly from: AccountState;
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
   * same name. Errors: StoreUnavailable.
   */
  take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary>;
  /**
   * Replaces and removes whole tables, all at one moment. With `kept`, one record keeps how they were: both are made, or neither.
   * Returns undefined, without a change, if the snapshot or kept state is missing or does not have one of the accounts.
   */
  exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<Exchanged | undefined>;
  /**
   * Opens a view of the tables of an account as they are at this moment, or as a snapshot has them. Returns undefined if the snapshot
   * is missing or does not have the account.
   */
  freeze(state: AccountState): Promise<StoreView | undefined>;
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
  readonly kept: KeptStates;
}
