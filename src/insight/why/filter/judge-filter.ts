import { TableError } from '../../../protocol/errors.js';
import type { Filter } from '../../../query/filter/filter.js';
import { parseFilter } from '../../../query/filter/parse-filter.js';
import { classifyQuery } from '../../queries/classify-query.js';
import { judgeQuery } from '../../queries/judge-query.js';
import { queryClassWords } from '../../queries/query-classes.js';
import { adviceOf } from '../../rules/rules.js';
import { explainFilter } from './explain-filter.js';
import type { ExplainedFilter, FilterAnswer } from './explained-filter.js';
import { writeRanges } from './write-ranges.js';

/** Returns the tree of a `$filter`, for programs that show it in parts; undefined for one that is refused or empty. */
export function filterTree(text: string): Filter | undefined {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

/** Explains a `$filter`, decoded. `describe` returns what the service answers to an error. */
export function judgeFilter(text: string, describe: (error: TableError) => FilterAnswer): ExplainedFilter {
  try {
    const filter = parseFilter(text);
    const found = classifyQuery(filter);
    const rule = judgeQuery(found, false);
    return {
      isRefused: false,
      class: found.class,
      text: queryClassWords[found.class],
      ranges: writeRanges(filter),
      ...(rule && { rule }),
      ...(rule && filter && { advice: adviceOf(rule) }),
    };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { status, message } = describe(error);
    return { isRefused: true, status, code: error.code, message, ...explainFilter(text, error) };
  }
}
