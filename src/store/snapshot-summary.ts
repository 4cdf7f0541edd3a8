/** A snapshot, as lists show it. */
export interface SnapshotSummary {
  readonly name: string;
  /** When it was taken: canonical UTC text. Every Timestamp in it is earlier. */
  readonly at: string;
  readonly accounts: readonly { readonly name: string; readonly tables: number }[];
}
