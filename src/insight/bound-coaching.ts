import { pointOperations } from '../protocol/operation-names.js';
import type { RequestObserver } from '../service/observe.js';
import type { Coach } from './coach.js';

/** How many cheap requests in a row the coach sees without a gap. Ours: a whole test suite. */
export const requestsInRow = 10_000;

/**
 * How many requests a second it sees after that. Ours: no cache of the processor has what the coach rarely needs, so one takes
 * some ten microseconds, and 100 a second take a thousandth of the processor.
 */
export const requestsPerSecond = 100;

/**
 * Returns an observer that tells a coach of some of the reads and writes of single entities when there are many, so that
 * advice does not slow a loaded server down. The coach counts the others in `skipped`. It is told of every query, batch and
 * refusal, so a budget misses none. `observe` tells it of one request; `now` is in milliseconds since 1970.
 */
export function boundCoaching(coach: Coach, observe: RequestObserver, now: () => number): RequestObserver {
  let left = requestsInRow;
  let filled = now();
  return (record) => {
    // Point operations are quick, so the coach's part in them counts.
    if (record.status >= 400 || !pointOperations.has(record.operation)) {
      observe(record);
      return;
    }
    const at = left < 1 ? now() : filled;
    if (at !== filled) {
      left = Math.min(requestsInRow, left + (Math.max(0, at - filled) * requestsPerSecond) / 1000);
      filled = at;
    }
    if (left < 1) {
      coach.skipped++;
      return;
    }
    left--;
    observe(record);
  };
}
