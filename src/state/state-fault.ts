import { StoreUnavailable } from '../store/store-unavailable.js';

/**
 * Why a state operation failed.
 *
 * - `invalid`: the request makes no sense
 * - `missing`: an account, a table, a snapshot or a branch does not exist
 * - `not-done`: it cannot run now, because the database is unavailable, the server stops or too many diffs are unread
 * - `unknown`: the connection to the database was lost; the change may or may not have been applied
 */
export type StateFaultReason = 'invalid' | 'missing' | 'not-done' | 'unknown';

/** A failed state operation, with a message for people. Nothing has changed, unless the reason is `unknown`. */
export class StateFault extends Error {
  override readonly name = 'StateFault';
  readonly reason: StateFaultReason;

  constructor(reason: StateFaultReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns an error as a StateFault; undefined if it is neither that nor an unavailable database. */
export function faultOf(error: unknown): StateFault | undefined {
  if (error instanceof StoreUnavailable) return new StateFault(error.outcome, error.message);
  return error instanceof StateFault ? error : undefined;
}
