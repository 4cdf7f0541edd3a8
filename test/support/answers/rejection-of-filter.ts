import { describeError } from '../../../src/dialects/storage/describe-error.js';
import { TableError } from '../../../src/protocol/errors.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';

/** Returns the error of a filter: its code and its text. */
export function rejectionOfFilter(text: string): { code: string; message: string } {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return { code: error.code, message: describeError(error).message };
    throw error;
  }
  throw new Error(`${text} was not rejected`);
}
