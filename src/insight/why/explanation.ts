/** Why a request was refused, for the developer who sent it. It contains no key, signature or token. */
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

/** The explanation of one request. */
export interface ExplainedRequest extends Explanation {
  /** The `x-ms-request-id` of its answer. */
  readonly requestId: string;
  /** The status of its answer. */
  readonly status: number;
  /** The error code of the service. */
  readonly code?: string;
  /** The status of the newest request with the same `x-ms-client-request-id`, if that was not refused. */
  readonly laterStatus?: number;
  /** The name of a table that is nearly the one that is missing. */
  readonly near?: string;
  /** Another account that has a table of the name that is missing. */
  readonly otherAccount?: string;
}

/** One value that a check compared. */
export interface ExplainedDetail {
  readonly name: string;
  readonly value: string;
  /** Whether the check passed; absent for a value that was not checked. */
  readonly holds?: boolean;
}
