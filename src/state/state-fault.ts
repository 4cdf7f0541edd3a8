import { StoreUnavailable } from '../store/store-unavailable.js';

/**
 * Why a change of the state is rejected.
 *
 * - `invalid`: what was asked for makes no sense
 * - `missing`: an account, a table, a snapshot or a branch does not exist
 * - `not-done`: the database cannot be used now
 * - `unknown`: the database went away, and may have made the change
 */
export type StateFaultReason = 'invalid' | 'missing' | 'not-done' | 'unknown';

/** A change of the state that is rejected, with a message for people. Nothing was changed, unless the reason is `unknown`. */
export class StateFault extends Error {
  override readonly name = 'StateFault';
  readonly reason: StateFaultReason;

  constructor(reason: StateFaultReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns an error as a fault of the state, if it is one. A database that went away is one, too. */
export function faultOf(error: unknown): StateFault | undefined {
  if (error instanceof StoreUnavailable) return new StateFault(error.outcome, error.message);
  return error instanceof StateFault ? error : undefined;
}
