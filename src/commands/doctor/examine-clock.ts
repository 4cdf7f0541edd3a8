import type { Finding } from './finding.js';

/** Before this nobody ran this program, so a clock that says so was never set. */
const programBegan = Date.parse('2025-01-01T00:00:00Z');

/** How far a clock may be behind without anybody minding. Unit: milliseconds. */
const toleranceMs = 2000;

/** Whether the clock is plausible, and not behind the last write: clients would be refused by their signatures' age. */
export function examineClock(now: number, lastWrite: string | undefined): Finding {
  const about = 'clock';
  const shown = Number.isFinite(now) ? new Date(now).toISOString() : String(now);
  if (!(now > programBegan)) {
    return { about, says: `it says ${shown}`, remedy: 'Set it; signed URLs end by the clock.' };
  }
  const behindMs = lastWrite === undefined ? 0 : Date.parse(lastWrite) - now;
  if (behindMs > toleranceMs) {
    return {
      about,
      says: `it says ${shown}, which is ${duration(behindMs)} before the last write`,
      remedy:
        'Set it. New Timestamps go on from the last write, so no ETag comes twice, but signed URLs end by the clock.',
    };
  }
  return { about, says: lastWrite === undefined ? shown : `${shown}, after the last write` };
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
