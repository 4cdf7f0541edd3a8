import type { Explanation } from '../protocol/explanation.js';
import type { Finding } from './coach/finding.js';

/** The reason for a request's rejection, or its cost in the cloud. */
export interface ExplainedRequest extends Omit<Explanation, 'cause'> {
  /** A short name of the cause, as in `Explanation`; absent if the request was not rejected. */
  readonly cause?: string;
  /** The `x-ms-request-id` of its answer. */
  readonly requestId: string;
  readonly status: number;
  readonly code?: string;
  /** All retained requests with the same `x-ms-client-request-id`, oldest first; absent if there is only this one. */
  readonly attempts?: readonly Attempt[];
  /** The coach's findings about the request, the worst first; absent if it was rejected. */
  readonly findings?: readonly Finding[];
  /** Why the query can find nothing: a constant of another type than the stored values; absent if none is known. */
  readonly mismatch?: string;
  /** An existing table with a name similar to the missing one. */
  readonly near?: string;
  /** Another account with a table of the missing name. */
  readonly otherAccount?: string;
}

/** Rejected requests to one table with the same cause; the explanation is that of the newest. */
export interface RejectedRequests extends ExplainedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** How many there are. */
  readonly requests: number;
  /** The mark of the newest, such as the name of a test. */
  readonly mark?: string;
}

/** One of several requests with the same `x-ms-client-request-id`. */
export interface Attempt {
  readonly requestId: string;
  readonly status: number;
  readonly code?: string;
}
