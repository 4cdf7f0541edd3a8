import type { Explanation } from '../protocol/explanation.js';
import type { Finding } from './coach/finding.js';

/** Why one request was rejected, or what it costs in the cloud. */
export interface ExplainedRequest extends Omit<Explanation, 'cause'> {
  /** A short name of the cause, as in `Explanation`; absent if the request was not rejected. */
  readonly cause?: string;
  /** The `x-ms-request-id` of its answer. */
  readonly requestId: string;
  /** The status of its answer. */
  readonly status: number;
  /** The error code of the service. */
  readonly code?: string;
  /** All kept requests with the same `x-ms-client-request-id`, oldest first; absent if there is only this one. */
  readonly attempts?: readonly Attempt[];
  /** The findings of the coach that the request is part of, the worst first; absent if it was rejected. */
  readonly findings?: readonly Finding[];
  /** The name of a table that is nearly the one that is missing. */
  readonly near?: string;
  /** Another account that has a table of the name that is missing. */
  readonly otherAccount?: string;
}

/** One of several requests with the same `x-ms-client-request-id`. */
export interface Attempt {
  readonly requestId: string;
  readonly status: number;
  readonly code?: string;
}
