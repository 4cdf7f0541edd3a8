import type { Explanation } from '../../../protocol/explanation.js';
import type { QueryClass } from '../../queries/query-classes.js';

/** The cost of a `$filter` in the cloud, or the reason for its rejection. */
export type ExplainedFilter = AcceptedFilter | RejectedFilter;

/** An accepted filter. */
export interface AcceptedFilter {
  readonly isRejected: false;
  readonly class: QueryClass;
  /** The work of the cloud, in one sentence. */
  readonly text: string;
  /** The key ranges that this server reads, for people; none if no entity can match. The cloud may read more. */
  readonly ranges: readonly string[];
  /** The broken rule of the coach, such as `table-scan/or-keys`; absent if the filter breaks none. */
  readonly rule?: string;
  /** The way to make it cheaper; absent if there is none. */
  readonly advice?: string;
}

/** A rejected filter: the place of the fault, and the fix. */
export interface RejectedFilter extends Explanation, FilterAnswer {
  readonly isRejected: true;
  readonly code: string;
}

/** The service's answer to a rejected filter. */
export interface FilterAnswer {
  readonly status: number;
  readonly message: string;
}
