import type { Explanation } from '../../../protocol/explanation.js';
import type { QueryClass } from '../../queries/query-classes.js';

/** What a `$filter` costs in the cloud, or why the service rejects it. */
export type ExplainedFilter = AcceptedFilter | RejectedFilter;

/** A filter that the service accepts. */
export interface AcceptedFilter {
  readonly isRejected: false;
  /** How the cloud finds the entities. */
  readonly class: QueryClass;
  /** What the cloud reads, in one sentence. */
  readonly text: string;
  /** The ranges of keys that this server reads, for people; none if no entity can match. The cloud may read more. */
  readonly ranges: readonly string[];
  /** The rule of the coach that the form of the query breaks, as `table-scan/or-keys`; absent if it breaks none. */
  readonly rule?: string;
  /** What makes it cheaper; absent if there is nothing to say. */
  readonly advice?: string;
}

/** A filter that the service rejects: where the fault is, and what to write. */
export interface RejectedFilter extends Explanation, FilterAnswer {
  readonly isRejected: true;
  /** The error code of the service. */
  readonly code: string;
}

/** What the service answers to a filter that it rejects. */
export interface FilterAnswer {
  readonly status: number;
  readonly message: string;
}
