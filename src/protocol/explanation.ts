/** Why a request was rejected, for the developer who sent it. It contains no key, signature or token. */
export interface Explanation {
  /** A short name of the cause in small letters and dashes, which programs may compare: `key-as-text`. */
  readonly cause: string;
  /** What was wrong, in one sentence. */
  readonly text: string;
  /** What to do, in one sentence. */
  readonly advice?: string;
  /** Where the fault is in the filter or body. Unit: UTF-16 code units, from 0. */
  readonly at?: number;
  /** How long the fault is there. Unit: UTF-16 code units. */
  readonly length?: number;
  /** What to write in place of the fault in the filter; absent if only the writer can decide that. */
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
