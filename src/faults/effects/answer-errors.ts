import { TableError, type TableErrorCode } from '../../protocol/errors.js';
import type { Effect } from './effect.js';

/** Returns the effect of answering with an error instead of running the operation. `retryAfter` is in seconds. */
export function answerError(code: TableErrorCode, retryAfter?: number): Effect {
  return async ({ hit, marks, evidence }, run) => {
    if (!hit()) return run();
    if (retryAfter !== undefined) marks.headers = ['Retry-After', String(retryAfter)];
    throw new TableError(code, { evidence: evidence('The operation was not applied.') });
  };
}

/**
 * Returns the effect of a timeout: the operation is done or not, and the client cannot tell. An operation that refuses the
 * request answers with its own error.
 */
export function timeOut(isApplied: boolean): Effect {
  return async ({ hit, evidence }, run) => {
    if (!hit()) return run();
    if (isApplied) {
      const done = await run();
      if (done.answer.kind === 'failed-transaction') return done;
    }
    const effect = isApplied ? 'The operation was applied before the error.' : 'The operation was not applied.';
    throw new TableError('OperationTimedOut', { evidence: evidence(effect) });
  };
}
