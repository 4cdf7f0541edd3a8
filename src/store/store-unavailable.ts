/**
 * What became of an operation that an engine could not answer.
 *
 * - `not-done`: nothing was changed and nothing will be; the caller may try again
 * - `unknown`: the change may have been made, or may still be made
 */
export type UnavailableOutcome = 'not-done' | 'unknown';

/** An engine that could not be reached, or did not answer in time. Says what became of the operation. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
  readonly outcome: UnavailableOutcome;

  constructor(outcome: UnavailableOutcome, message: string, cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
  }
}

/** An engine whose tables another program has locked. Requests wait until it releases them. */
export class TablesLocked extends StoreUnavailable {
  override readonly name = 'TablesLocked';

  constructor(cause?: unknown) {
    super('not-done', 'Another session of the database holds a lock on the tables.', cause);
  }
}
