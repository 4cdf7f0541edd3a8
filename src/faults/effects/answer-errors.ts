import type { TableErrorCode } from '../../protocol/error-codes.js';
import { TableError } from '../../protocol/errors.js';
import type { Effect } from './effect.js';

/** An error that a rule answers with. */
export interface InjectedError {
  readonly code: TableErrorCode;
  /** Whether the operation is run before the error, so that the client cannot tell. Default: false. */
  readonly applied?: boolean;
  /** The header Retry-After. Unit: seconds. */
  readonly retryAfter?: number;
  /** The header x-ms-retry-after-ms. Unit: milliseconds. */
  readonly retryAfterMs?: number;
}

/** Returns the effect of answering with an error. A transaction that its operation rejects is answered with its own error. */
export function answerError({ code, applied = false, retryAfter, retryAfterMs }: InjectedError): Effect {
  const headers = [
    ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]),
    ...(retryAfterMs === undefined ? [] : ['x-ms-retry-after-ms', String(retryAfterMs)]),
  ];
  return async ({ hit, marks, evidence }, run) => {
    if (!hit()) return run();
    if (applied) {
      const done = await run();
      if (done.answer.kind === 'failed-transaction') return done;
    }
    if (headers.length > 0) marks.headers = headers;
    const effect = applied ? 'The operation was applied before the error.' : 'The operation was not applied.';
    throw new TableError(code, { evidence: evidence(effect) });
  };
}
