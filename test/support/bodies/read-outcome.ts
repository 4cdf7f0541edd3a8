import { TableError } from '../../../src/protocol/errors.js';

/** Returns what a body was read as, or the error with its evidence. */
export function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return { code: error.code, variant: error.variant, evidence: error.evidence() };
  }
}
