import { explainFilter } from '../../../src/insight/why/filter/explain-filter.js';
import { TableError } from '../../../src/protocol/errors.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';

/** Returns the explanation of a filter; undefined if the service accepts it. */
export function explanationOf(text: string) {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return explainFilter(text, error);
    throw error;
  }
  return undefined;
}

/** Applies "Fix and run" until the filter is accepted or there is no fix. Returns the last text. */
export function fixedFilter(text: string): string {
  for (let fixed = text, times = 0; ; times++) {
    const found = explanationOf(fixed);
    if (found?.fix === undefined) return fixed;
    if (times > text.length) throw new Error(`the fixes of ${text} do not end: ${fixed}`);
    const { at = 0, length = 0, fix } = found;
    fixed = fixed.slice(0, at) + fix + fixed.slice(at + length);
  }
}
