import type { Finding } from './finding.js';

/** The program did not exist before this date, so a clock with an earlier time was never set. */
const programBegan = Date.parse('2025-01-01T00:00:00Z');

/** Largest lag of the clock after the last write that is not a problem. Unit: milliseconds. */
const toleranceMs = 2000;

/**
 * Checks that the clock is plausible and not before the last write. With a wrong clock the server refuses requests,
 * because their signatures seem to be from another time. `now` is in milliseconds since 1970.
 */
export function examineClock(now: number, lastWrite: string | undefined): Finding {
  const about = 'clock';
  const shown = Number.isFinite(now) ? new Date(now).toISOString() : String(now);
  if (!(now > programBegan)) {
    return { about, found: `it is at ${shown}`, remedy: 'Set the clock. Signed URLs expire by it.' };
  }
  const lagMs = lastWrite === undefined ? 0 : Date.parse(lastWrite) - now;
  if (lagMs > toleranceMs) {
    return {
      about,
      found: `it is at ${shown}, which is ${duration(lagMs)} before the last write`,
      remedy:
        'Set the clock. New Timestamps continue after the last write, so ETags stay unique, but signed URLs expire by the clock.',
    };
  }
  return { about, found: lastWrite === undefined ? shown : `${shown}, after the last write` };
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
