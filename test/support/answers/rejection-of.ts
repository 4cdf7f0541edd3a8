import { describeError } from '../../../src/dialects/storage/describe-error.js';
import { TableError } from '../../../src/protocol/errors.js';

/** Returns the code and the text with which something is rejected, as the storage service words it. */
export function rejectionOf(attempt: () => unknown): { code: string; message: string } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TableError) return { code: error.code, message: describeError(error).message };
    throw error;
  }
  throw new Error('nothing was rejected');
}

/** Returns only the code. */
export function codeOf(attempt: () => unknown): string {
  return rejectionOf(attempt).code;
}
