import { Abandoned } from './store.js';

/** Longest time that one read keeps the event loop. Unit: milliseconds. Ours: requests beside it should not notice. */
const turnMs = 5;

/** A stretch of rows should take about this long, so that the clock is read seldom, yet often enough. Unit: milliseconds. */
const stretchMs = 0.5;

/** Most rows between two looks at the clock. */
const stretchRowsMax = 1024;

/** Reads whose turn is over. One of them goes on in each round of the event loop, however many there are. */
const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Splits the work of one read into turns, so that a large read does not stop the server for other clients.
 *
 * The read works through `rows` rows, calls `isOver`, and when that returns true waits for `next`.
 */
export class EventLoopTurn {
  /** How many rows to work through before the next call of `isOver`. */
  rows = 1;
  readonly #isGone: (() => boolean) | undefined;
  #endsAt: number;
  #lookedAt: number;

  /** Begins the first turn. `isGone` returns whether the client has left. */
  constructor(isGone?: () => boolean) {
    this.#isGone = isGone;
    this.#lookedAt = performance.now();
    this.#endsAt = this.#lookedAt + turnMs;
  }

  /** Returns whether the read must wait for its next turn. `done` is the number of rows since the last call. */
  isOver(done: number): boolean {
    const now = performance.now();
    const spent = now - this.#lookedAt;
    this.#lookedAt = now;
    if (spent > 2 * stretchMs) this.rows = Math.max(1, this.rows >> 2);
    else if (done >= this.rows && 4 * spent < stretchMs) this.rows = Math.min(stretchRowsMax, 4 * this.rows);
    return now >= this.#endsAt;
  }

  /** Waits for the next turn of this read. Errors: Abandoned when the client has left. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resumeNext);
    });
    if (this.#isGone?.()) throw new Abandoned();
    this.#lookedAt = performance.now();
    this.#endsAt = this.#lookedAt + turnMs;
  }
}
