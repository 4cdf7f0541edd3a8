import { vi } from 'vitest';

/** Makes every reading of the clock end the turn of the event loop. Returns a function that restores the clock. */
export function shortenTurns(): () => void {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  return () => spy.mockRestore();
}
