/**
 * Why a change of the state is refused.
 *
 * - `invalid`: what was asked for makes no sense
 * - `missing`: an account, a table, a snapshot or a branch does not exist
 * - `not-supported`: the engine cannot do it
 */
export type StateFaultReason = 'invalid' | 'missing' | 'not-supported';

/** A change of the state that is refused, with a message for people. Nothing was changed. */
export class StateFault extends Error {
  override readonly name = 'StateFault';
  readonly reason: StateFaultReason;

  constructor(reason: StateFaultReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
