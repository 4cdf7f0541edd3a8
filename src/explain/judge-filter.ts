import { classifyQuery } from '../coach/classify-query.js';
import { type QueryClass, queryClassWords, queryFlagWords } from '../coach/query-classes.js';
import { TableError, type TableErrorCode } from '../protocol/errors.js';
import { parseFilter } from '../query/parse-filter.js';
import { explainFilter } from './explain-filter.js';
import type { Explanation } from './explanation.js';

/** What a `$filter` costs in the cloud, or why the service refuses it. */
export type ExplainedFilter = AcceptedFilter | RefusedFilter;

/** A filter that the service accepts. */
export interface AcceptedFilter {
  readonly isRefused: false;
  /** How the cloud finds the entities. */
  readonly class: QueryClass;
  /** What the cloud reads, in one sentence. */
  readonly text: string;
  /** What makes it cheaper; absent if there is nothing to say. */
  readonly advice?: string;
}

/** A filter that the service refuses: where the fault is, and what to write. */
export interface RefusedFilter extends Explanation, FilterAnswer {
  readonly isRefused: true;
  /** The error code of the service. */
  readonly code: TableErrorCode;
}

/** What the service answers to a filter that it refuses. */
export interface FilterAnswer {
  readonly status: number;
  readonly message: string;
}

/** Explains a `$filter`, decoded. `describe` returns what the service answers to an error. */
export function judgeFilter(text: string, describe: (error: TableError) => FilterAnswer): ExplainedFilter {
  try {
    const { class: name, flags } = classifyQuery(parseFilter(text));
    const advice = flags.flatMap((flag) => queryFlagWords[flag] ?? []).join(' ');
    return { isRefused: false, class: name, text: queryClassWords[name], ...(advice !== '' && { advice }) };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { status, message } = describe(error);
    return { isRefused: true, status, code: error.code, message, ...explainFilter(text, error) };
  }
}
