import type { Coach } from '../coach/coach.js';
import type { RequestObserver } from '../http/request-record.js';

/** How many requests in a row the coach sees without a gap. Ours: a whole test suite. */
export const requestsInRow = 10_000;

/** How many requests a second it sees after that. Ours: at 20,000 a second the coach would cost each a twentieth. */
export const requestsPerSecond = 500;

/**
 * Returns an observer that tells a coach of some requests when there are many, so that advice does not slow a loaded server
 * down. The coach counts the others in `skipped`. `observe` tells it of one request; `now` is in milliseconds since 1970.
 */
export function boundCoaching(coach: Coach, observe: RequestObserver, now: () => number): RequestObserver {
  let left = requestsInRow;
  let filled = now();
  return (record) => {
    if (left < 1) {
      const at = now();
      left = Math.min(requestsInRow, left + ((at - filled) * requestsPerSecond) / 1000);
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
