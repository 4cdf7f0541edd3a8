/** Why a request was rejected, for the developer who sent it. It contains no key, signature or token. */
export interface Explanation {
  /** A short name of the cause that programs may compare, such as `key-as-text`. */
  readonly cause: string;
  /** The fault, in one sentence. */
  readonly text: string;
  /** The fix, in one sentence. */
  readonly advice?: string;
  /** Where the fault is in the filter or body. Unit: UTF-16 code units, from 0. */
  readonly at?: number;
  /** Length of the fault. Unit: UTF-16 code units. */
  readonly length?: number;
  /** The replacement for the fault in the filter; absent if only the writer can decide that. */
  readonly fix?: string;
  /** The values that were compared, in the order of the checks. */
  readonly details?: readonly ExplainedDetail[];
}

/** One value that a check compared. */
export interface ExplainedDetail {
  readonly name: string;
  readonly value: string;
  /** Whether the check passed; absent for a value that was not checked. */
  readonly holds?: boolean;
}
