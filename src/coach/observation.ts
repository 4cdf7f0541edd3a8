import type { Classification } from './classify-query.js';

/** What every observed request has. */
export interface ObservedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestId: string;
  readonly mark: string | undefined;
  readonly table: string;
  readonly status: number;
}

/** A page of a query of entities. */
export interface ObservedQuery extends ObservedRequest {
  readonly query: Pick<Classification, 'class' | 'flags'>;
  readonly shape: string;
  readonly comparisons: number;
  /** Returns the `$filter` as sent, decoded. It is called for the first query of a shape alone. */
  readFilter(): string;
  readonly hasSelect: boolean;
  /** Whether it continues an earlier page. */
  readonly isContinuation: boolean;
  readonly read: number;
  readonly returned: number;
  /** Size of the answer. Unit: bytes. */
  readonly bytes: number;
}

/** A query whose filter was refused. */
export interface ObservedRefusal extends ObservedRequest {
  readonly filter: string;
  /** The cause that its explanation names. */
  readonly cause: string;
}
