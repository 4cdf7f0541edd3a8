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
}

/** What a reset did. */
export interface ResetReport {
  /** Number of tables that were removed or emptied. */
  readonly tables: number;
  /** Number of entities that were deleted; only for a partition. */
  readonly entities?: number;
  /** How long it took. Unit: milliseconds. */
  readonly ms: number;
}
