import { TableError } from '../../src/protocol/errors.js';

/** The code and text with which something is refused. */
export function refusalOf(attempt: () => unknown): { code: string; message: string } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TableError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The code alone. */
export function codeOf(attempt: () => unknown): string {
  return refusalOf(attempt).code;
}
