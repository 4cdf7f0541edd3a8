import { Abandoned } from './store.js';

/** Maximum time that one read blocks the event loop. Unit: milliseconds. (Our choice: other requests should not notice.) */
const turnMs = 5;

/** Time between two clock reads: long enough to be cheap, short enough to end a turn in time. Unit: milliseconds. */
const stretchMs = 0.5;

/** Maximum number of rows between two clock reads. */
const stretchRowsMax = 1024;

/** Long-running work that waits for its turn. Each round of the event loop resumes one piece. */
const waiting: (() => void)[] = [];

let isTaken = false;

function takeRound(): void {
  if (isTaken) return;
  isTaken = true;
  setImmediate(() => {
    isTaken = false;
    const next = waiting.shift();
    if (!next) return;
    takeRound();
    next();
  });
}

/**
 * Waits for a round of the event loop without other long-running work; undefined if this round has none. Requests and database
 * answers are handled between rounds, so they never wait for all pending work.
 */
export function turnForLongWork(): Promise<void> | undefined {
  if (isTaken) return new Promise((resolve) => waiting.push(resolve));
  takeRound();
  return undefined;
}

/** Splits a read into turns, so that a large one does not block other clients: after every `rows` rows, if `isOver()`, await `next()`. */
export class EventLoopTurn {
  /** Number of rows to process before the next call of `isOver`. */
  rows = 1;
  readonly #isGone: (() => boolean) | undefined;
  #endsAt: number;
  #lookedAt: number;

  /** Begins the first turn. `isGone`: whether the client has disconnected. */
  constructor(isGone?: () => boolean) {
    this.#isGone = isGone;
    this.#lookedAt = performance.now();
    this.#endsAt = this.#lookedAt + turnMs;
  }

  /** Whether the read must wait for its next turn. `done` is the number of rows since the last call. */
  isOver(done: number): boolean {
    const now = performance.now();
    const spent = now - this.#lookedAt;
    this.#lookedAt = now;
    if (spent > 2 * stretchMs) this.rows = Math.max(1, this.rows >> 2);
    else if (done >= this.rows && 4 * spent < stretchMs) this.rows = Math.min(stretchRowsMax, 4 * this.rows);
    return now >= this.#endsAt;
  }

  /** Waits for the next turn of this read. Errors: Abandoned if the client has disconnected. */
  async next(): Promise<void> {
    takeRound();
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (this.#isGone?.()) throw new Abandoned();
    this.#lookedAt = performance.now();
    this.#endsAt = this.#lookedAt + turnMs;
  }
}
