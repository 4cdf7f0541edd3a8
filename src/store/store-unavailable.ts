/**
 * The outcome of an operation without an answer from the engine.
 *
 * - `not-done`: nothing has changed and nothing will; the caller may retry
 * - `unknown`: the change may have been applied, or may still be
 */
type UnavailableOutcome = 'not-done' | 'unknown';

/** An engine that could not be reached, or did not answer in time. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
  readonly outcome: UnavailableOutcome;

  constructor(outcome: UnavailableOutcome, message: string, cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
  }
}

/** The reason, for health, why no write can succeed. */
type Obstacle = 'tables-locked' | 'too-few-connections' | 'disk-full' | 'memory-full';

/** An engine that rejects writes until somebody removes an obstacle. The message is a sentence for the developer. */
export class WritesObstructed extends StoreUnavailable {
  override readonly name = 'WritesObstructed';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, message: string, cause?: unknown) {
    super('not-done', message, cause);
    this.obstacle = obstacle;
  }
}
