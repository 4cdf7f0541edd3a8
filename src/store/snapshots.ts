/** A snapshot, as lists show it. */
export interface SnapshotSummary {
  readonly name: string;
  /** When it was taken: canonical UTC text. Every Timestamp in it is earlier. */
  readonly at: string;
  readonly accounts: readonly { readonly name: string; readonly tables: number }[];
}

/** What a restore gives to one account. */
export interface RestoredAccount {
  /** The account as the snapshot has it. */
  readonly from: string;
  /** The account that gets its tables and settings. What that one had before is removed. */
  readonly to: string;
  /** Decides by the lower-cased name of a table whether to restore it. Absent: all tables, and the settings. */
  readonly concerns?: (name: string) => boolean;
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
  /** Takes a snapshot of accounts. Replaces the one of the same name. */
  take(name: string, accounts: readonly string[]): Promise<SnapshotSummary>;
  /**
   * Restores accounts from a snapshot, all at one moment. Returns the number of tables, or undefined, without a change, if
   * the snapshot is missing or does not have one of them.
   */
  restore(name: string, accounts: readonly RestoredAccount[]): Promise<number | undefined>;
  /** Makes an account a copy of another, as it is now. Removes what it had before. Returns the number of tables. */
  copy(from: string, to: string): Promise<number>;
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
}
