/**
 * What became of an operation that an engine could not answer.
 *
 * - `not-done`: nothing was changed and nothing will be; the caller may try again
 * - `unknown`: the change may have been made, or may still be made
 */
type UnavailableOutcome = 'not-done' | 'unknown';

/** An engine that could not be reached, or did not answer in time. Says what became of the operation. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
  readonly outcome: UnavailableOutcome;

  constructor(outcome: UnavailableOutcome, message: string, cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
  }
}

/** Why no write can succeed, as health says it. */
type Obstacle = 'tables-locked' | 'too-few-connections' | 'disk-full' | 'memory-full';

/** An engine that takes no writes until somebody removes an obstacle. Its message is a sentence for the developer. */
export class WritesObstructed extends StoreUnavailable {
  override readonly name = 'WritesObstructed';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, message: string, cause?: unknown) {
    super('not-done', message, cause);
    this.obstacle = obstacle;
  }
}
