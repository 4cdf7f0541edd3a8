import type { StoreView, TableSelection } from './stored-parts.js';

/** A snapshot in a list. */
export interface SnapshotSummary {
  readonly name: string;
  /** When it was taken: canonical UTC text. Every Timestamp in it is earlier. */
  readonly at: string;
  readonly accounts: readonly { readonly name: string; readonly tables: number }[];
}

/** The restore of an account from a snapshot. */
interface RestoredAccount {
  /** The account in the snapshot. */
  readonly from: string;
  /** The account that gets its tables and settings, and loses its own. */
  readonly to: string;
  /** The tables to restore, by account and name. Absent: all tables, and the settings. */
  readonly concerns?: TableSelection;
}

/** Whole tables to replace or remove at one moment. No account is in it twice. */
export interface Exchange {
  /** Accounts to restore from a snapshot or a kept state. The kept state is then dropped. */
  readonly restored?: { readonly snapshot: string | KeptId; readonly accounts: readonly RestoredAccount[] };
  /** Accounts to reset, like `TableStore.reset`. */
  readonly reset?: readonly string[];
  /**
   * Tables that lose all entities, but keep their policies and their creation time. Missing tables are ignored. An open handle may find its
   * table missing.
   */
  readonly emptied?: readonly { readonly account: string; readonly names: readonly string[] }[];
}

/** The result of an exchange. Unit: tables. */
export interface ExchangeResult {
  /** The number of removed, replaced or emptied tables. */
  readonly removed: number;
  /** The number of restored tables. */
  readonly restored: number;
}

/** The name of the state without any data, which no snapshot can have. */
export const emptyState = 'empty';

/** The current state of an account, or its state in a snapshot. Branches may also begin as `emptyState`. */
export interface AccountState {
  readonly account: string;
  readonly snapshot?: string;
}

/**
 * The purpose of an internal snapshot.
 *
 * - `undo`: undoing a call that removes something
 * - `import`: an import of everything or nothing, while it runs
 * - `load`: the initial data of a server, while it loads. Only a start that loads again, or decides not to, may drop it.
 */
type KeptKind = 'undo' | 'import' | 'load';

/** Identifies a kept state. */
export interface KeptId {
  readonly kind: KeptKind;
  /** Letters, digits and dashes. Unique in its kind. */
  readonly id: string;
}

/** Identifies a snapshot or a kept state. */
export interface SnapshotId {
  readonly kind: KeptKind | 'named';
  readonly id: string;
}

/** Returns the id of a user's snapshot. */
export function named(name: string): SnapshotId {
  return { kind: 'named', id: name };
}

/** A kept state in a list. */
export interface KeptState extends KeptId {
  /** When it was begun: canonical UTC text. */
  readonly at: string;
  /** The caller's data, if any. */
  readonly note?: string;
}

/** Keeps the state of accounts before a change, as internal snapshots. */
export interface KeptStates {
  /**
   * Keeps the state of accounts at the moment of the call, or of the tables that `concerns` selects. Fails if its connection is lost after
   * that moment. `note` is the caller's data.
   */
  begin(kept: KeptId, accounts: readonly string[], concerns: TableSelection | undefined, note?: string): Promise<void>;
  /** Replaces the note of a kept state. Does nothing if that is missing. */
  note(kept: KeptId, note: string): Promise<void>;
  /** Returns the kept states of a kind, in no order. */
  list(kind: KeptKind): Promise<readonly KeptState[]>;
  /** Drops a kept state. Returns whether it existed. */
  drop(kept: KeptId): Promise<boolean>;
  /** Returns a number that is unique among the servers of the same data. Absent: no other server uses the data. */
  nextNumber?(): Promise<number>;
}

/** A throw-away account that begins as a copy. */
export interface BranchRecord {
  readonly account: string;
  /** The source of the copy. */
  readonly from: AccountState;
  /** Its only key, in base64. */
  readonly key: string;
  /** When it ends. Unit: milliseconds since 1970. */
  readonly expires: number;
  /** The mark of its requests. Only the server that made it must know it. */
  readonly mark?: string;
}

/**
 * Keeps accounts as of one moment: tables with entities, policies and creation times, and the settings.
 *
 * A snapshot has all changes of a transaction or none, and never the second of two consecutive transactions of a client without the
 * first. Entities keep their Timestamps and ETags. Later writes get later ones, so an ETag never stands for two contents.
 */
export interface SnapshotStore {
  /** Takes a snapshot of accounts, or of the tables that `concerns` selects. Replaces one of the same name. Errors: StoreUnavailable. */
  take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary>;
  /**
   * Replaces and removes whole tables, all at one moment, and atomically keeps their previous state under `kept`. Returns undefined, with
   * no change, if the snapshot or kept state, or one of its accounts, is missing.
   */
  exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<ExchangeResult | undefined>;
  /** Opens a view of the tables of an account, current or in a snapshot. Returns undefined if the snapshot or its account is missing. */
  freeze(state: AccountState): Promise<StoreView | undefined>;
  /** Returns all snapshots by name. */
  list(): Promise<readonly SnapshotSummary[]>;
  /** Deletes a snapshot. Returns whether it existed. */
  delete(name: string): Promise<boolean>;
  /** Creates a branch and its record at one moment. Returns the number of tables, or undefined if its snapshot is missing. */
  branch(branch: BranchRecord): Promise<number | undefined>;
  /** Returns all branches by account. */
  branches(): Promise<readonly BranchRecord[]>;
  /** Removes a branch with everything in it. Returns whether it existed. */
  endBranch(account: string): Promise<boolean>;
  /**
   * Notifies `listener` of each branch that another server has ended, before the store returns the settings of its account. Absent: no
   * other server uses the data.
   */
  onEndedElsewhere?(listener: (account: string) => void): void;
  readonly kept: KeptStates;
}
