/** A segment. It is open while the log is. */
export interface Segment {
  readonly path: string;
  readonly descriptor: number;
  /** The position at which the next commit is written. */
  bytes: number;
  /** The number of its last commit. */
  last: number;
  /** Where what is on disk ends. Unit: bytes. */
  syncedBytes: number;
}
