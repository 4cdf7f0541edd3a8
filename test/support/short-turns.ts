import { vi } from 'vitest';

/** Makes every look at the clock find that a turn of the event loop is over. Returns what undoes it. */
export function shortenTurns(): () => void {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  return () => spy.mockRestore();
}
